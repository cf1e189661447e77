import { Settings } from '@app/config';
import { StatusRefusal } from '@app/credentials';
import { EventStore, type SingleUse } from '@app/event-store';
import type { HeaderSource } from '@app/http';
import {
  AttestationStatuses,
  AttestationStatusFault,
  type StatedAttestation,
  WALLET_URLS,
  TrustAnchors,
} from '@app/identity';
import { thumbprint } from '@app/primitives/jose';
import type { JsonValue } from '@app/primitives/json';
import { hashOfSecret } from '@app/keys';
import { OAuthError, type WalletUrls } from '@app/openid4vc';
import { Inject, Injectable } from '@nestjs/common';
import { AttestationChallenges } from './attestation-challenges';
import { verifyAttestationProof } from './attestation-proof';
import { type ClientAttestation, verifyClientAttestation } from './client-attestation';
import { invalidAttestation } from './client-faults';
import { clientUses } from './oauth-client';
import type { PresentedAttestation } from './presented-authentication';

/** A wallet for which a trusted provider vouches. */
export interface AttestedWallet {
  readonly clientId: string;
  readonly name?: string;
  readonly instanceThumbprint: string;
  /** Absent where the DPoP proof of the request is used up. */
  readonly use?: SingleUse;
}

/** Verifies what wallet providers say of wallets, against the anchors with the purpose `wallet-provider`. */
@Injectable()
export class WalletAttestations implements HeaderSource {
  constructor(
    private readonly anchors: TrustAnchors,
    private readonly settings: Settings,
    private readonly statuses: AttestationStatuses,
    private readonly challenges: AttestationChallenges,
    private readonly store: EventStore,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
  ) {}

  /** Whether any provider is trusted: without one, attestations say nothing here. */
  get areAccepted(): boolean {
    return this.anchors.find('wallet-provider').length > 0;
  }

  newChallenge(now: Date): string | undefined {
    return this.areAccepted ? this.challenges.issue(now) : undefined;
  }

  /**
   * A challenge for the next attestation, on every answer (Attestation-Based Client Authentication draft 07 §8.2), while
   * attestations are accepted.
   */
  offeredHeader(): readonly [string, string] | undefined {
    const challenge = this.newChallenge(this.store.clock());
    return challenge === undefined ? undefined : ['OAuth-Client-Attestation-Challenge', challenge];
  }

  /**
   * Everything but the single use of its proof. Throws `OAuthError`.
   * @param dpopKey of the DPoP proof, already verified with its nonce: for an attestation without a proof of its own
   */
  async verify({ attestation, proof }: PresentedAttestation, now: Date, dpopKey?: string): Promise<AttestedWallet> {
    const wallet = verifyClientAttestation(attestation, this.anchors.find('wallet-provider'), now);
    const { clientId, walletName } = wallet;
    const instanceThumbprint = thumbprint(wallet.instanceKey);
    const use = proof === undefined ? undefined : this.verifyProof(proof, wallet, now);
    if (!use && dpopKey !== instanceThumbprint) {
      const description = 'The DPoP proof is not signed by the key of the attestation (cnf.jwk).';
      throw invalidAttestation('attestation-proof', description);
    }
    await this.checkStatus(wallet, now);
    return {
      clientId,
      instanceThumbprint,
      ...(walletName !== undefined && { name: walletName }),
      ...(use && { use }),
    };
  }

  private verifyProof(proof: string, { clientId, instanceKey }: ClientAttestation, now: Date): SingleUse {
    const expected = { instanceKey, clientId, audience: this.urls.issuer, now };
    const { tokenId, acceptedUntil, challenge } = verifyAttestationProof(proof, expected);
    this.checkChallenge(challenge, now);
    const hash = hashOfSecret(`${thumbprint(instanceKey)} ${tokenId}`);
    return { kind: clientUses.attestation, hash, expiresAt: acceptedUntil };
  }

  private checkChallenge(challenge: JsonValue | undefined, now: Date): void {
    if (challenge === undefined) {
      if (this.settings.authorization.attestationChallenge === 'offered') return;
      throw useChallenge('challenge-missing', 'The proof of possession must hold a challenge');
    }
    if (typeof challenge === 'string' && this.challenges.isCurrent(challenge, now)) return;
    throw useChallenge('challenge-unknown', 'The challenge in the proof of possession is unknown or has expired');
  }

  private async checkStatus(attestation: StatedAttestation, now: Date): Promise<void> {
    try {
      await this.statuses.check('wallet-provider', attestation, now);
    } catch (cause) {
      if (cause instanceof AttestationStatusFault) {
        const description = `The status of the attestation (client_status) is not accepted: ${cause.message}.`;
        throw invalidAttestation('wallet-attestation-status', description, cause);
      }
      if (!(cause instanceof StatusRefusal)) throw cause;
      if (cause.status === 'undetermined') {
        throw new OAuthError(
          'temporarily_unavailable',
          'The status of the attestation cannot be determined now: try again in a minute.',
          { headers: { 'Retry-After': '60' }, cause },
        );
      }
      throw invalidAttestation('wallet-attestation-revoked', 'The attestation has been revoked or suspended.', cause);
    }
  }
}

function useChallenge(reason: 'challenge-missing' | 'challenge-unknown', found: string): OAuthError {
  return new OAuthError(
    'use_attestation_challenge',
    `${found}: use the one in OAuth-Client-Attestation-Challenge of this response.`,
    { reason },
  );
}
