import { Problem } from '@app/problem-details';
import { CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type AskedInPage, AskInPage, ComeBackToPage } from './api';
import { RequestDefaults } from './request-defaults';
import { RequestsInPages } from './requests-in-pages';
import { AskForPresentation, RedeemResponseCode } from './verification.handlers';

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
    const found = await this.requests.find(requestId);
    if (found) return found;
    try {
      await this.ask(requestId, asked);
    } catch (error) {
      // The page was opened twice at once.
      if (!(error instanceof Problem) || error.slug !== 'state-already-used') throw error;
    }
    return (await this.requests.find(requestId)) ?? { outcome: 'over' };
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
  constructor(private readonly commands: CommandBus) {}

  async execute({ requestId, responseCode }: ComeBackToPage): Promise<boolean> {
    try {
      await this.commands.execute(new RedeemResponseCode(requestId, responseCode, {}));
      return true;
    } catch (error) {
      if (error instanceof Problem && (error.slug === 'invalid-response-code' || error.slug === 'not-found'))
        return false;
      throw error;
    }
  }
}
