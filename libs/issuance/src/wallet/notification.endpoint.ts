import { DpopProofs, WalletAuthentication } from '@app/authorization';
import { RawBody, WalletErrorFilter, walletJson, PublicEndpoint, OffersHeaders } from '@app/http';
import { parseNotificationRequest } from '@app/openid4vc';
import { Body, Controller, Header, HttpCode, Post, Req, UseFilters } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { IncomingMessage } from 'node:http';
import { NotifyIssuer } from './notification.handlers';
import { CredentialRefusals } from '../credential/refusals';

/** The notification endpoint (OpenID4VCI 1.0 §11): what became of a credential in the wallet. */
@Controller('openid4vci/notification')
@PublicEndpoint('wallets')
@UseFilters(WalletErrorFilter)
@OffersHeaders(DpopProofs)
export class NotificationEndpoint {
  constructor(
    private readonly commands: CommandBus,
    private readonly wallets: WalletAuthentication,
    private readonly refusals: CredentialRefusals,
  ) {}

  @Post()
  @HttpCode(204)
  @Header('Cache-Control', 'no-store')
  async notify(@Body() body: RawBody, @Req() incoming: IncomingMessage): Promise<void> {
    const token = this.wallets.authenticate(incoming);
    try {
      const notification = parseNotificationRequest(walletJson(body, 'invalid_notification_request'));
      await this.commands.execute(new NotifyIssuer(token, notification));
    } catch (error) {
      await this.refusals.note(token.grant, error, { endpoint: 'notification' });
      throw error;
    }
  }
}
