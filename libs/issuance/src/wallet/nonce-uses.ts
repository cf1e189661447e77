import { replayedProof } from '@app/authorization';
import { AlreadyConsumedError, EventStore, type SingleUse } from '@app/event-store';
import type { GrantName } from '@app/offers';
import { hashOfSecret } from '@app/keys';
import { type DeferredRequest, proofRefusal } from '@app/openid4vc';
import type { Awaitable } from '@app/primitives/awaitable';
import { Injectable } from '@nestjs/common';

/** The nonce of a credential request, and what it is used for. */
export interface NonceUse {
  readonly nonce: SingleUse;
  readonly configurationId: string;
  /** A grant of several credentials: its nonce serves once for each. */
  readonly sharedBy?: GrantName | undefined;
  /** Another credential of the same unit of work uses it, too, and has noted that. */
  readonly isNoted: boolean;
}

/** Uses up the nonces of key proofs, in the unit of work that records what they served for. */
@Injectable()
export class NonceUses {
  constructor(private readonly store: EventStore) {}

  /**
   * What the unit of work consumes. Widespread wallet libraries send one nonce for all credentials of a grant. It serves once for
   * each of them, under the grant that used it first: its use is noted with the hash of that grant's name.
   */
  of({ nonce, sharedBy, configurationId, isNoted }: NonceUse): Awaitable<SingleUse[]> {
    return sharedBy ? this.shared({ nonce, sharedBy, configurationId, isNoted }) : [nonce];
  }

  private async shared({
    nonce,
    sharedBy,
    configurationId,
    isNoted,
  }: NonceUse & { readonly sharedBy: GrantName }): Promise<SingleUse[]> {
    const forConfiguration = usedFor(nonce, configurationId);
    const note = hashOfSecret(sharedBy.hash).toString('base64url');
    const isFirst = !isNoted && (await this.store.noteOf(nonce.kind, nonce.hash)) !== note;
    return isFirst ? [{ ...nonce, note }, forConfiguration] : [forConfiguration];
  }

  /** Carries a unit of work out that consumes a nonce. Throws `OAuthError` when it, or the proof of the token's key, was used before. */
  during<R>(request: DeferredRequest, work: () => Awaitable<R>): Promise<R> {
    return Promise.resolve(work()).catch(async (first: unknown) => {
      if (!(first instanceof AlreadyConsumedError)) throw first;
      try {
        // The request for another credential of the grant may have been the first to use the nonce, a moment ago.
        return await work();
      } catch (error) {
        if (!(error instanceof AlreadyConsumedError)) throw error;
        const replayed = replayedProof(error);
        if (replayed) throw replayed;
        throw proofRefusal(request, 'nonce-used', 'The nonce of the key proof has been used before.');
      }
    });
  }
}

function usedFor(nonce: SingleUse, configurationId: string): SingleUse {
  const hash = hashOfSecret(Buffer.concat([nonce.hash, Buffer.from(configurationId)]));
  return { kind: 'c_nonce-of-configuration', hash, expiresAt: nonce.expiresAt };
}
