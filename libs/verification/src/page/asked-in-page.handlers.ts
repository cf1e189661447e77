import { Problem } from '@app/primitives/problems';
import { Inject } from '@nestjs/common';
import { CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type AskedInPage, AskInPage, ComeBackToPage } from '../api';
import { AUTHORIZATION_REQUESTS, type PresentationRequests } from '../request/authorization-request';
import { RequestDefaults } from '../question/request-defaults';
import { RequestSecrets } from '../request/request-secrets';
import { RequestsInPages } from './requests-in-pages';
import { comeBackToPage } from '../management/response-code';
import { AskForPresentation } from '../management/verification.handlers';

/** After the answer: the page takes over what it needs as soon as the person is back. */
const retention = 'PT10M';

@CommandHandler(AskInPage)
export class AskInPageHandler implements ICommandHandler<AskInPage> {
  constructor(
    private readonly commands: CommandBus,
    private readonly defaults: RequestDefaults,
    private readonly requests: RequestsInPages,
  ) {}

  async execute({ requestId, asked }: AskInPage): Promise<AskedInPage> {
    const found = await this.requests.find(requestId, asked.query);
    if (found) return found;
    try {
      await this.ask(requestId, asked);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.slug === 'request-certificate-missing' || error.slug === 'request-not-registered')
        return { outcome: 'unavailable' };
      // The page was opened twice at once.
      if (error.slug !== 'state-already-used') throw error;
    }
    return (await this.requests.find(requestId, asked.query)) ?? { outcome: 'over' };
  }

  private async ask(requestId: string, { query, returnTo, expiresIn }: AskInPage['asked']): Promise<void> {
    const { clientIdPrefix, verifierInfo, ownOrigin } = this.defaults;
    await this.commands.execute(
      new AskForPresentation({
        requestId,
        query,
        responseType: 'vp_token',
        responseMode: 'dc_api.jwt',
        expectedOrigins: [ownOrigin],
        clientIdPrefix,
        ...(verifierInfo.length > 0 && { verifierInfo }),
        expiresIn,
        retention,
        redirectUri: returnTo,
        isAskedInPage: true,
      }),
    );
  }
}

@CommandHandler(ComeBackToPage)
export class ComeBackToPageHandler implements ICommandHandler<ComeBackToPage> {
  constructor(
    @Inject(AUTHORIZATION_REQUESTS) private readonly requests: PresentationRequests,
    private readonly secrets: RequestSecrets,
  ) {}

  async execute({ requestId, responseCode }: ComeBackToPage): Promise<boolean> {
    const codeHash = this.secrets.hashOfResponseCode(responseCode);
    const none = { events: [], result: false };
    const { result } = await this.requests.update(requestId, ({ state, now }) =>
      state ? comeBackToPage(state, codeHash, now) : none,
    );
    return result;
  }
}
