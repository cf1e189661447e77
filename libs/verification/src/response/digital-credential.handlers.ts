import { parsePostedDigitalCredential, requireExpectedOrigin, requireOfferedProtocol } from '@app/openid4vc';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, ICommandHandler, type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { AUTHORIZATION_REQUESTS, openVariant, type PresentationRequests } from '../request/authorization-request';
import { DigitalCredentialRequests } from '../rendering/digital-credential-requests';
import { closedRequest } from '../request/closed-request';
import { noOpenRequest } from '../rendering/request-address';
import { RequestAnswers, type Taken } from './request-answers';
import { RequestSecrets } from '../request/request-secrets';
import { ResponseReader } from './response-reader';

/** The origins of the pages that may ask over the Digital Credentials API; none when there is no such request. */
export class FindExpectedOrigins extends Query<readonly string[]> {
  constructor(readonly handle: string) {
    super();
  }
}

@QueryHandler(FindExpectedOrigins)
export class FindExpectedOriginsHandler implements IQueryHandler<FindExpectedOrigins> {
  constructor(
    @Inject(AUTHORIZATION_REQUESTS) private readonly requests: PresentationRequests,
    private readonly secrets: RequestSecrets,
  ) {}

  async execute({ handle }: FindExpectedOrigins): Promise<readonly string[]> {
    const found = await this.secrets.handles.findByText(this.requests, handle);
    return found?.state.expectedOrigins ?? [];
  }
}

/** What a page posts of the answer that a wallet gave it. Throws `OAuthError`: 404 for no such request, 409 for one that is over. */
export class ReceiveDigitalCredential extends Command<Taken> {
  constructor(
    readonly handle: string,
    /** The header of the browser; a server that passes the answer on has none. */
    readonly origin: string | undefined,
    /** Throws `OAuthError`. */
    readonly readBody: () => unknown,
  ) {
    super();
  }
}

@CommandHandler(ReceiveDigitalCredential)
export class ReceiveDigitalCredentialHandler implements ICommandHandler<ReceiveDigitalCredential> {
  constructor(
    private readonly answers: RequestAnswers,
    private readonly digital: DigitalCredentialRequests,
    private readonly reader: ResponseReader,
  ) {}

  async execute(command: ReceiveDigitalCredential): Promise<Taken> {
    const found = await this.answers.find(command.handle);
    if (!found?.request.expectedOrigins) throw noOpenRequest();
    const terms = openVariant(found.request, 'dc-api', found.now);
    if (!terms) throw closedRequest('dc-api');
    const { expectedOrigins } = found.request;
    const { received, origin } = await this.answers.reading(found, 'dc-api', async () => {
      const posted = parsePostedDigitalCredential(command.readBody());
      const given = { header: command.origin, body: posted.origin };
      const from = requireExpectedOrigin(given, expectedOrigins);
      requireOfferedProtocol(posted.protocol, this.digital.protocolsOf(found.request));
      return { received: await this.reader.readDigitalCredential(found, posted.data), origin: from };
    });
    return this.answers.settle(found, { ...terms, origin }, received);
  }
}
