import { AlreadyConsumedError, type EventStore } from '@app/event-store';
import { DpopFault } from '@app/openid4vc';
import type { Awaitable } from '@app/primitives/awaitable';
import { currentTenant } from '@app/primitives/context';
import type { IncomingMessage } from 'node:http';
import { verifyDpopProof } from './dpop/dpop-proof';
import type { PresentedText } from './presented-credential';
import { tokenFault, type TokenFault } from './token-fault';

type Asking = Pick<IncomingMessage, 'headers' | 'method' | 'url'>;

/** The kind of used proofs. */
const use = 'dpop-proof-of-caller';

/** Judges whether who calls with a token has the key that it is bound to (RFC 9449 §7). */
export class CallerProofs {
  private readonly base: string;

  /** @param url of the management API, as callers know it */
  constructor(
    url: string,
    private readonly store: Pick<EventStore, 'clock' | 'consume'>,
  ) {
    this.base = url.replace(/\/+$/u, '');
  }

  /**
   * Why a request cannot be one of the holder of its token; `undefined` when it is one. The proof is used up then, for all
   * replicas. Rejects when the database is away. @param boundTo thumbprint of the token's key, if there is one
   */
  faultOf(
    request: Asking,
    { text, scheme }: PresentedText,
    boundTo: string | undefined,
  ): Awaitable<TokenFault | undefined> {
    if (boundTo === undefined) return scheme === 'Bearer' ? undefined : unbound;
    return scheme === 'Bearer' ? bound : this.faultOfProof(request, text, boundTo);
  }

  private async faultOfProof(request: Asking, text: string, boundTo: string): Promise<TokenFault | undefined> {
    const { headers, method = '', url = '' } = request;
    if (headers['dpop'] === undefined) return unproven('a DPoP header with a proof must come with it');
    const [path = ''] = url.split('?', 1);
    try {
      const tenant = currentTenant();
      const base = tenant === undefined ? this.base : `${this.base}/t/${tenant.id}`;
      const asked = { method, url: base + path, accessToken: text, now: this.store.clock() };
      const proof = verifyDpopProof(String(headers['dpop']), asked);
      if (proof.thumbprint !== boundTo)
        return tokenFault('proof-key', 'the DPoP proof is not by the key it is bound to');
      await this.store.consume({ kind: use, ...proof.use });
      return undefined;
    } catch (error) {
      if (error instanceof DpopFault) return { ...unproven(''), detail: error.message };
      if (!(error instanceof AlreadyConsumedError)) throw error;
      return unproven('the DPoP proof was used before: make a new one, with a new jti, for each request');
    }
  }
}

const unbound = tokenFault('scheme', 'it is bound to no key: send it as "Authorization: Bearer <token>"', {
  scheme: 'Bearer',
});
const bound = tokenFault(
  'scheme',
  'it is bound to a key: send it as "Authorization: DPoP <token>", and a proof in the DPoP header (RFC 9449)',
  { scheme: 'DPoP' },
);

function unproven(detail: string): TokenFault {
  return tokenFault('proof', detail, { error: 'invalid_dpop_proof' });
}
