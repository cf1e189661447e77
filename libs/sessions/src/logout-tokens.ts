import { LoginFailure } from '@app/authorization';
import { AlreadyConsumedError, EventStore } from '@app/event-store';
import { hashOfSecret } from '@app/keys';
import { CLOCK_SKEW_SECONDS } from '@app/primitives/time';
import { Injectable, Logger } from '@nestjs/common';
import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import { ConsoleProvider } from './console-provider';
import { Sessions } from './sessions';

const event = 'http://schemas.openid.net/event/backchannel-logout';
/** Seconds that a token is good for, whatever it says. */
const longest = 15 * 60;
const algorithms = [
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
];

/** Tokens by which the provider says that somebody has signed out there (OpenID Connect Back-Channel Logout 1.0 §2.4). */
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
    const claims = await this.claimsOf(token);
    if (claims === undefined) return false;
    const { sub, sid } = claims;
    const sidHash = typeof sid === 'string' ? hashOfSecret(sid) : undefined;
    const isMeant = (of: { readonly sidHash: Buffer | null }) =>
      sidHash === undefined || of.sidHash?.equals(sidHash) === true;
    if (sub !== undefined) await this.sessions.endAllOf(this.provider.subjectOf(sub), isMeant);
    else if (sidHash !== undefined) await this.sessions.endAllAt(sidHash);
    return true;
  }

  private async claimsOf(token: string): Promise<JWTPayload | undefined> {
    try {
      const { keys } = await this.provider.keys();
      const { payload } = await jwtVerify(token, createLocalJWKSet({ keys } as unknown as JSONWebKeySet), {
        issuer: this.provider.issuer,
        audience: this.provider.clientId,
        algorithms,
        clockTolerance: CLOCK_SKEW_SECONDS,
        maxTokenAge: longest,
        requiredClaims: ['iat', 'jti'],
      });
      const { events, nonce, sub, sid, jti } = payload;
      const isLogout = typeof events === 'object' && events !== null && Object.hasOwn(events, event);
      if (!isLogout || nonce !== undefined || (sub === undefined && typeof sid !== 'string')) return undefined;
      const expiresAt = new Date(this.store.clock().getTime() + 2 * longest * 1000);
      await this.store.consume({ kind: 'console-logout', hash: hashOfSecret(String(jti)), expiresAt });
      return payload;
    } catch (error) {
      if (error instanceof LoginFailure) throw error;
      if (!(error instanceof AlreadyConsumedError)) this.logger.warn({ event: 'console.logout-token-refused' });
      return undefined;
    }
  }
}
