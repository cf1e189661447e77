import {
  type AttestationLevels,
  KeyProofError,
  StatusRefusal,
  type VerifiedKeyAttestation,
  verifyKeyAttestation,
} from '@app/credentials';
import { AttestationStatuses, AttestationStatusFault, TrustAnchors } from '@app/identity';
import type { JwsAlgorithm } from '@app/primitives/jose';
import { Injectable } from '@nestjs/common';

/** What a request has to attest. */
export interface RequiredAttestation {
  readonly required: AttestationLevels;
  readonly algorithms: readonly JwsAlgorithm[];
  readonly maxKeys: number;
  readonly isProof: boolean;
  readonly now: Date;
}

/** Verifies what attesters say of the keys of wallets, against the anchors with the purpose `key-attester`. */
@Injectable()
export class KeyAttestations {
  constructor(
    private readonly anchors: TrustAnchors,
    private readonly statuses: AttestationStatuses,
  ) {}

  /** Everything but the freshness of its nonce. Throws `KeyProofError`. */
  async verify(jwt: string, required: RequiredAttestation): Promise<VerifiedKeyAttestation> {
    const attestation = verifyKeyAttestation(jwt, { ...required, anchors: this.anchors.find('key-attester') });
    try {
      await this.statuses.check('key-attester', attestation, required.now);
    } catch (cause) {
      if (cause instanceof AttestationStatusFault) throw new KeyProofError('attestation-status', { cause });
      if (!(cause instanceof StatusRefusal)) throw cause;
      throw new KeyProofError('attestation-revoked', { cause });
    }
    return attestation;
  }
}
