import { Settings } from '@app/config';
import { StatusChecker } from '@app/credentials';
import { JWS_ALGORITHMS } from '@app/jose';
import type { JsonValue } from '@app/json';
import { Injectable } from '@nestjs/common';
import { IssuerDirectory } from './issuer-directory';

/** The part of an attestation that says where its status is. */
interface Attestation {
  readonly issuer?: string;
  readonly status?: JsonValue;
}

/** The statuses of what others attest, of wallets or of their keys. */
@Injectable()
export class AttestationStatuses {
  private readonly checker: StatusChecker;

  constructor(settings: Settings, issuers: IssuerDirectory) {
    this.checker = new StatusChecker({
      fetchDocument: issuers.fetchStatusList,
      issuerKeys: issuers,
      algorithms: JWS_ALGORITHMS,
      undetermined: settings.verification.undeterminedStatus,
    });
    issuers.onTrustChange(() => {
      this.checker.forgetLists();
    });
  }

  /** An attestation without a status is good until it expires. Throws `StatusRefusal`. */
  async check({ status, issuer = '' }: Attestation, now: Date): Promise<void> {
    if (status !== undefined) await this.checker.check({ types: [], status }, issuer, now);
  }
}
