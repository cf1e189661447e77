import { type AccessToken, WalletTokens } from '@app/authorization';
import type { Repository } from '@app/event-store';
import { type NotificationRequest, OAuthError } from '@app/openid4vc';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, ICommandHandler } from '@nestjs/cqrs';
import { firstId } from './authorized-grants';
import { type Credential, type CredentialEvent, CREDENTIALS, notifyCredential } from '../credential/credential';
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
    const grant = await this.granted.grantBy(token);
    const about = this.tokens.readNotificationId(notification.notificationId, token.grant, grant.now);
    const credentialId = about && grant.credentials[about.index]?.credentialId;
    if (about === undefined || credentialId === undefined) {
      throw new OAuthError(
        'invalid_notification_id',
        'The notification_id is unknown or belongs to another access token.',
      );
    }
    await this.credentials.update(await this.existing(credentialId), ({ state }) =>
      state ? notifyCredential(state, notification.event, about.issue) : [],
    );
  }

  /** A token that was refreshed after the issue has given nothing yet: it notifies about the first credential. */
  private async existing(credentialId: string): Promise<string> {
    const first = firstId(credentialId);
    if (first === credentialId) return first;
    const { state } = await this.credentials.load(credentialId);
    return state ? credentialId : first;
  }
}
