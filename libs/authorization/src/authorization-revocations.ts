import { EventStore } from '@app/event-store';
import type { Awaitable } from '@app/primitives/awaitable';
import { Inject, Injectable } from '@nestjs/common';
import { type Authorization, type AuthorizationEvent, type Authorizations, AUTHORIZATIONS } from './authorization';
import { revokeForClient } from './authorization-decisions';
import { AuthorizationSecrets } from './authorization-secrets';
import type { OAuthClient } from './clients/oauth-client';
import { withErasure } from './person-erasure';
import { WalletTokens } from './wallet-tokens';

type Refusal = 'pre-authorized' | 'other-client' | 'other-wallet';

/** Ends authorizations before their time. */
@Injectable()
export class AuthorizationRevocations {
  constructor(
    private readonly store: EventStore,
    @Inject(AUTHORIZATIONS) private readonly authorizations: Authorizations,
    private readonly secrets: AuthorizationSecrets,
    private readonly tokens: WalletTokens,
  ) {}

  /** Ends the authorization of an access or refresh token, with all its tokens; a token that is none of ours is nothing to end. */
  revokeToken(token: string, client: OAuthClient): Awaitable<Refusal | undefined> {
    const grant = this.tokens.readAccessToken(token)?.grant;
    if (grant?.kind === 'pre-authorized_code') return 'pre-authorized';
    const hash = grant?.hash ?? this.secrets.readRefreshToken(token);
    return hash && this.revoke(hash, client);
  }

  private revoke(hash: Buffer, client: OAuthClient): Awaitable<Refusal | undefined> {
    return this.secrets.grants.update<Authorization, AuthorizationEvent, Refusal | undefined>(
      this.authorizations,
      hash,
      async ({ id, state, now }) => {
        const instanceKey = this.secrets.nameOfKey(state, client.instanceThumbprint);
        const by = { clientId: client.clientId, instanceKey };
        const { events, refusal } = await withErasure(this.store, id, revokeForClient(state, by, now));
        return { events, consume: events.length > 0 ? client.uses : [], result: refusal };
      },
    );
  }
}
