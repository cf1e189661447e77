import { longestLogoutToken, verifyLogoutToken } from '@app/access';
import { AlreadyConsumedError, EventStore } from '@app/event-store';
import { hashOfSecret } from '@app/keys';
import { Injectable, Logger } from '@nestjs/common';
import { ConsoleProvider } from './console-provider';
import { Sessions } from './sessions';

/** Ends sessions of people who have signed out at the provider. */
@Injectable()
export class LogoutTokens {
  private readonly logger = new Logger('Console');

  constructor(
    private readonly provider: ConsoleProvider,
    private readonly sessions: Sessions,
    private readonly store: EventStore,
  ) {}

  /** Ends the sessions that a token is about. @returns whether it was a valid one */
  async signOut(token: string): Promise<boolean> {
    const { issuer, clientId: audience } = this.provider;
    const { keys } = await this.provider.keys();
    const notice = await verifyLogoutToken(token, keys, { issuer, audience });
    if (!notice || !(await this.isNew(notice.jti))) {
      this.logger.warn({ event: 'console.logout-token-refused' });
      return false;
    }
    const sidHash = notice.sid === undefined ? undefined : hashOfSecret(notice.sid);
    const isMeant = (of: { readonly sidHash: Buffer | null }): boolean =>
      sidHash === undefined || of.sidHash?.equals(sidHash) === true;
    if (notice.sub !== undefined) await this.sessions.endAllOf(this.provider.subjectOf(notice.sub), isMeant);
    else if (sidHash) await this.sessions.endAllAt(sidHash);
    return true;
  }

  private async isNew(jti: string): Promise<boolean> {
    const expiresAt = new Date(this.store.clock().getTime() + 2 * longestLogoutToken * 1000);
    try {
      await this.store.consume({ kind: 'console-logout', hash: hashOfSecret(jti), expiresAt });
      return true;
    } catch (error) {
      if (error instanceof AlreadyConsumedError) return false;
      throw error;
    }
  }
}
