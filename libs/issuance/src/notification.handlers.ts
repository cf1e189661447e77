import { type AccessToken, WalletTokens } from '@app/authorization';
import type { Repository } from '@app/event-store';
import { type NotificationRequest, OAuthError } from '@app/openid4vc';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, ICommandHandler } from '@nestjs/cqrs';
import { type Credential, type CredentialEvent, CREDENTIALS, notifyCredential } from './credential';
import { GrantedCredentials } from './granted-credentials';

/** Records what a wallet says became of a credential. Throws `OAuthError`. */
export class NotifyIssuer extends Command<void> {
  constructor(
    readonly token: AccessToken,
    readonly notification: NotificationRequest,
  ) {
    super();
  }
}

@CommandHandler(NotifyIssuer)
export class NotifyIssuerHandler implements ICommandHandler<NotifyIssuer> {
  constructor(
    private readonly granted: GrantedCredentials,
    @Inject(CREDENTIALS) private readonly credentials: Repository<Credential, CredentialEvent>,
    private readonly tokens: WalletTokens,
  ) {}

  async execute({ token, notification }: NotifyIssuer): Promise<void> {
    const grant = await this.granted.grantOf(token);
    const index = this.tokens.readNotificationId(notification.notificationId, token.grant, grant.now);
    const credentialId = index === undefined ? undefined : grant.credentials[index]?.credentialId;
    if (credentialId === undefined) {
      throw new OAuthError(
        'invalid_notification_id',
        'The notification_id is unknown or belongs to another access token.',
      );
    }
    await this.credentials.update(credentialId, ({ state }) =>
      state ? notifyCredential(state, notification.event) : [],
    );
  }
}
