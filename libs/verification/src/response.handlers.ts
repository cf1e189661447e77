import { OAuthError, type RequestVariant } from '@app/openid4vc';
import { askOthersFor } from '@app/web';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, ICommandHandler } from '@nestjs/cqrs';
import {
  type Answered,
  AUTHORIZATION_REQUESTS,
  type AuthorizationRequest,
  openVariant,
  retrieveRequest,
  type AuthorizationRequests,
} from './authorization-request';
import { notOpen } from './not-open';
import { PendingMarks } from './pending-marks';
import { RequestSecrets } from './request-secrets';
import { ResponseJudge } from './response-judge';
import { type FoundRequest, ResponseReader } from './response-reader';

/** What a wallet posts in answer to one variant of a request. Throws `OAuthError`. */
export class ReceiveResponse extends Command<{ readonly redirectUri: string | undefined }> {
  constructor(
    readonly variant: RequestVariant,
    readonly handle: string,
    /** Throws `OAuthError`. */
    readonly readParameters: () => URLSearchParams,
  ) {
    super();
  }
}

@CommandHandler(ReceiveResponse)
export class ReceiveResponseHandler implements ICommandHandler<ReceiveResponse> {
  constructor(
    @Inject(AUTHORIZATION_REQUESTS) private readonly requests: AuthorizationRequests,
    private readonly secrets: RequestSecrets,
    private readonly reader: ResponseReader,
    private readonly judge: ResponseJudge,
    private readonly marks: PendingMarks,
  ) {}

  async execute(command: ReceiveResponse): Promise<{ readonly redirectUri: string | undefined }> {
    const found = await this.find(command.handle);
    const terms = found && openVariant(found.request, command.variant, found.now);
    if (!terms) throw notOpen();
    const received = await this.marks.refusals.reading(found.id, command.variant, () =>
      this.reader.read(found, command.variant, command.readParameters()),
    );
    if (received.kind === 'error') {
      const { variant } = command;
      await this.record(found.id, variant, await this.judge.declined(found, variant, received));
      return { redirectUri: undefined };
    }
    // However many answers are sent to it at once.
    askOthersFor(`request ${found.id}`);
    const responseCode = found.request.redirectUri === undefined ? undefined : this.secrets.newResponseCode();
    const judged = await this.judge.judge(found, terms, received, responseCode);
    await this.record(found.id, command.variant, judged.decide);
    if (judged.refusal !== undefined)
      throw new OAuthError('invalid_request', judged.refusal, { reason: 'check-failed' });
    return { redirectUri: withResponseCode(found.request.redirectUri, responseCode) };
  }

  private async find(handle: string): Promise<FoundRequest | undefined> {
    const hash = this.secrets.handles.hashOfText(handle);
    const found = hash && (await this.secrets.handles.find(this.requests, hash));
    return found && this.reader.open(found);
  }

  private async record(
    id: string,
    variant: RequestVariant,
    decide: (request: AuthorizationRequest, now: Date) => Answered,
  ): Promise<void> {
    // They came before, and what was refused last is what the request shows.
    await this.marks.refusals.settle(id);
    const { result } = await this.requests.update(id, ({ state, now }) => {
      if (!state) throw notOpen();
      const answered = decide(state, now);
      const retrievedAt = this.marks.retrievals.timeOf(state, variant);
      if (!retrievedAt || answered.events.length === 0) return { events: answered.events, result: answered };
      return { events: [...retrieveRequest(state, variant, retrievedAt), ...answered.events], result: answered };
    });
    if (result.refusal) throw notOpen();
    if (result.events.length > 0) this.marks.retrievals.recorded(id, variant);
  }
}

/** OpenID4VP 1.0 §8.2: in the fragment, which reaches neither servers nor their logs. */
function withResponseCode(redirectUri: string | undefined, code: string | undefined): string | undefined {
  return redirectUri === undefined || code === undefined ? undefined : `${redirectUri}#response_code=${code}`;
}
