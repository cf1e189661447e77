import { Settings } from '@app/config';
import {
  type AttestationLevels,
  KeyProofError,
  StatusChecker,
  StatusRefusal,
  type VerifiedKeyAttestation,
  verifyKeyAttestation,
} from '@app/credentials';
import { IssuerDirectory } from '@app/identity';
import type { JwsAlgorithm } from '@app/jose';
import { TrustAnchors } from '@app/trust';
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
  private readonly statuses: StatusChecker;

  constructor(
    private readonly anchors: TrustAnchors,
    settings: Settings,
    issuers: IssuerDirectory,
  ) {
    this.statuses = new StatusChecker({
      fetchDocument: issuers.fetchStatusList,
      issuerKeys: issuers,
      algorithms: ['ES256', 'ES384', 'EdDSA', 'Ed25519'],
      undetermined: settings.verification.undeterminedStatus,
    });
    issuers.onTrustChange(() => {
      this.statuses.forgetLists();
    });
  }

  /** Everything but the freshness of its nonce. Throws `KeyProofError`. */
  async verify(jwt: string, required: RequiredAttestation): Promise<VerifiedKeyAttestation> {
    const attestation = verifyKeyAttestation(jwt, { ...required, anchors: this.anchors.find('key-attester') });
    await this.checkStatus(attestation, required.now);
    return attestation;
  }

  private async checkStatus({ status, issuer = '' }: VerifiedKeyAttestation, now: Date): Promise<void> {
    if (status === undefined) return;
    try {
      await this.statuses.check({ types: [], status }, issuer, now);
    } catch (cause) {
      if (!(cause instanceof StatusRefusal)) throw cause;
      throw new KeyProofError('attestation-revoked', { cause });
    }
  }
}
