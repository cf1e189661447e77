import type { LinkVariant } from '@app/openid4vc';
import { Command, CommandHandler, ICommandHandler } from '@nestjs/cqrs';
import { openVariant } from '../request/authorization-request';
import { closedRequest } from '../request/closed-request';
import { RequestAnswers, type Taken } from './request-answers';
import { ResponseReader } from './response-reader';

/** What a wallet posts in answer to one variant of a request. Throws `OAuthError`. */
export class ReceiveResponse extends Command<Taken> {
  constructor(
    readonly variant: LinkVariant,
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
    private readonly answers: RequestAnswers,
    private readonly reader: ResponseReader,
  ) {}

  async execute(command: ReceiveResponse): Promise<Taken> {
    const found = await this.answers.find(command.handle);
    const terms = found && openVariant(found.request, command.variant, found.now);
    if (!terms) throw closedRequest(command.variant);
    const received = await this.answers.reading(found, command.variant, () =>
      this.reader.read(found, command.variant, command.readParameters()),
    );
    return this.answers.settle(found, terms, received);
  }
}
