import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AUTHORIZATION_REQUESTS, type PresentationRequests } from '../request/authorization-request';
import { RequestSecrets } from '../request/request-secrets';
import { returnToPage } from '../management/response-code';

/**
 * A wallet has returned the person to the page of a request. Tells whether this releases the result: nothing else does, for
 * a request that returns to its page. `undefined` when the handle is none of such a request.
 */
export class ReturnToPage extends Command<boolean | undefined> {
  constructor(
    readonly handle: string,
    /** The secret of the browser, if it has one. */
    readonly browser: string | undefined,
    readonly responseCode: string,
  ) {
    super();
  }
}

@CommandHandler(ReturnToPage)
export class ReturnToPageHandler implements ICommandHandler<ReturnToPage> {
  constructor(
    @Inject(AUTHORIZATION_REQUESTS) private readonly requests: PresentationRequests,
    private readonly secrets: RequestSecrets,
  ) {}

  async execute({ handle, browser, responseCode }: ReturnToPage): Promise<boolean | undefined> {
    const found = await this.secrets.handles.findByText(this.requests, handle);
    if (!found?.state.returnToPage) return undefined;
    const shown = {
      codeHash: this.secrets.hashOfResponseCode(responseCode),
      session: browser && this.secrets.sessionOf(found.state, browser),
    };
    const none = { events: [], result: false };
    const { result } = await this.requests.update(found.id, ({ state, now }) =>
      state ? returnToPage(state, shown, now) : none,
    );
    return result;
  }
}
