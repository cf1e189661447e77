import type { LinkVariant } from '@app/openid4vc';
import { whenThere } from '@app/primitives/awaitable';
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

  execute({ variant, handle, readParameters }: ReceiveResponse): Promise<Taken> {
    const taken = whenThere(this.answers.find(handle), (found) => {
      const terms = found && openVariant(found.request, variant, found.now);
      if (!terms) throw closedRequest(variant);
      return whenThere(
        this.answers.reading(found, variant, () => this.reader.read(found, variant, readParameters())),
        (received) => this.answers.settle(found, terms, received),
      );
    });
    return Promise.resolve(taken);
  }
}
