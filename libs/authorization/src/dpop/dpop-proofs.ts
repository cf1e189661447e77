import { perTenant } from '@app/primitives/context';
import { Settings } from '@app/config';
import { verifyDpopProof } from '@app/access';
import { EventStore } from '@app/event-store';
import type { HeaderSource } from '@app/http';
import { Authenticator, NamedShapes } from '@app/keys';
import { dpopError, DpopFault, type DpopPlace, type OAuthError, type TokenRequest } from '@app/openid4vc';
import { Injectable, Optional } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { AttestationChallenges } from '../clients/attestation-challenges';
import type { OAuthClient } from '../clients/oauth-client';
import type { ProvenKey } from './proven-key';

/** The kind of used proofs, by where they were used: an answer names the place's own error. */
export const dpopUses: Readonly<Record<DpopPlace, string>> = {
  'authorization-server': 'dpop-proof',
  resource: 'dpop-proof-of-token',
};

const nonceKind = 'dpop-nonce';
/** Milliseconds. A nonce is good for this one and the next. */
const nonceBucket = 150_000;

export interface DpopAsked {
  readonly request: IncomingMessage;
  readonly place: DpopPlace;
  /** With which the proof came. */
  readonly accessToken?: string;
  /** Whether it stands for the proof of an attestation, which may have to show a challenge. */
  readonly isOfAttestation?: boolean;
}

/** Checks DPoP proofs, and hands out nonces for them that every replica knows. */
@Injectable()
export class DpopProofs implements HeaderSource {
  private readonly kept = perTenant<{ nonce?: { readonly bucket: number; readonly bytes: Buffer } }>({}, () => ({}));

  /** @param challenges absent where no client authenticates */
  constructor(
    private readonly settings: Settings,
    private readonly authenticator: Authenticator,
    private readonly shapes: NamedShapes,
    private readonly store: EventStore,
    @Optional() private readonly challenges?: AttestationChallenges,
  ) {}

  /** `undefined` without a proof. Whether it was used before shows when `uses` are recorded. Throws `OAuthError`. */
  verify({ request, place, accessToken, isOfAttestation = false }: DpopAsked): ProvenKey | undefined {
    const header = request.headers['dpop'];
    if (header === undefined) return undefined;
    const now = this.store.clock();
    const [path = ''] = (request.url ?? '').split('?', 1);
    const { dpopNonce, attestationChallenge } = this.settings.authorization;
    try {
      const { thumbprint, use } = verifyDpopProof(String(header), {
        method: request.method ?? '',
        url: this.settings.applicationUrl.replace(/\/+$/u, '') + path,
        accessToken,
        now,
        nonces: {
          areRequired: dpopNonce === 'required' || (isOfAttestation && attestationChallenge === 'required'),
          isLive: (nonce) => this.isLive(nonce, now),
        },
      });
      return { thumbprint, uses: [{ kind: dpopUses[place], ...use }] };
    } catch (error) {
      if (!(error instanceof DpopFault)) throw error;
      throw this.refusal(error.code, error.message, place);
    }
  }

  /** The key that a token is to be bound to. Throws `OAuthError`. */
  keyOf(
    request: IncomingMessage,
    client: OAuthClient | undefined,
    grant: TokenRequest['grant'],
  ): ProvenKey | undefined {
    const place = 'authorization-server';
    const key = this.verify({ request, place });
    // OpenID4VC HAIP 1.0 §4 asks wallets for both, and does not speak of pre-authorized codes.
    const isOfHaip = client?.method === 'attest_jwt_client_auth' && grant !== 'pre-authorized_code';
    const isDue = isOfHaip || this.settings.authorization.senderConstrained === 'always';
    if (key || !isDue) return key;
    throw this.refusal(
      'invalid_dpop_proof',
      'The DPoP header with a proof is missing: tokens are bound to a key.',
      place,
    );
  }

  /** The thumbprint of the key whose DPoP proof stands for that of an attestation. Throws `OAuthError`. */
  keyOfAttestation(request: IncomingMessage): string | undefined {
    return this.verify({ request, place: 'authorization-server', isOfAttestation: true })?.thumbprint;
  }

  refusal(code: DpopFault['code'], description: string, place: DpopPlace): OAuthError {
    return dpopError(code, description, place, this.nonce());
  }

  /** A nonce for the next proof, on every answer to a wallet (RFC 9449 §8.2), also on refusals. */
  offeredHeader(): readonly [string, string] {
    return ['DPoP-Nonce', this.nonce()];
  }

  /** For the proof of the next request. */
  nonce(): string {
    const bucket = bucketOf(this.store.clock());
    if (this.kept.nonce?.bucket !== bucket) this.kept.nonce = { bucket, bytes: this.bytesOf(bucket) };
    return this.shapes.render(nonceKind, this.kept.nonce.bytes);
  }

  private isLive(nonce: string, now: Date): boolean {
    const bytes = this.shapes.parse(nonceKind, nonce)?.bytes;
    const isOwn = [0, 1].some((ago) => bytes?.equals(this.bytesOf(bucketOf(now) - ago)) === true);
    // A proof for an attestation as well shows its challenge in the same place.
    return isOwn || this.challenges?.isCurrent(nonce, now) === true;
  }

  private bytesOf(bucket: number): Buffer {
    return this.authenticator.mac(nonceKind, String(bucket));
  }
}

function bucketOf(now: Date): number {
  return Math.floor(now.getTime() / nonceBucket);
}
