import { Settings } from '@app/config';
import {
  FetchPostponed,
  type IssuerKey,
  type IssuerKeys,
  type SignerOfList,
  refusalReason,
  StatusChecker,
  StatusRefusal,
  verifyCertificatePath,
} from '@app/credentials';
import { JWS_ALGORITHMS } from '@app/primitives/jose';
import { isJsonObject, type JsonValue } from '@app/primitives/json';
import { CLOCK_SKEW_SECONDS } from '@app/primitives/time';
import { Injectable } from '@nestjs/common';
import type { TrustAnchor } from './trust/trust-anchor';
import { TrustAnchors } from './trust/trust-anchors';
import { IssuerDirectory } from './issuer-directory';

/** Who attests: its authorities have this purpose. */
export type AttesterPurpose = 'wallet-provider' | 'key-attester' | 'registrar';

/** The part of an attestation that says where its status is. */
export interface StatedAttestation {
  readonly issuer?: string;
  /** What vouches for who attests; without it, none of a list of trusted entities may speak of the status. */
  readonly anchor?: TrustAnchor;
  /** OpenID4VCI 1.0 appendices D.1 and E. */
  readonly status?: JsonValue;
  /** `client_status` of a wallet, `key_storage_status` of keys (EU technical specification 3, 1.5): `status` and `exp`. */
  readonly keptStatus?: JsonValue;
}

/** An attestation whose status cannot be looked for, and never will: in words. */
export class AttestationStatusFault extends Error {}

/** The statuses of what others attest: of wallets, of their keys, or of this service. */
@Injectable()
export class AttestationStatuses {
  private readonly checkers: Readonly<Record<AttesterPurpose, StatusChecker>>;

  constructor(
    private readonly settings: Settings,
    private readonly issuers: IssuerDirectory,
    private readonly anchors: TrustAnchors,
  ) {
    const { undeterminedStatus } = settings.verification;
    this.checkers = {
      'wallet-provider': this.checker('wallet-provider', undeterminedStatus),
      'key-attester': this.checker('key-attester', undeterminedStatus),
      // Whoever asks decides what becomes of it.
      registrar: this.checker('registrar', 'reject'),
    };
    issuers.onTrustChange(() => {
      for (const checker of Object.values(this.checkers)) checker.forgetLists();
    });
  }

  /**
   * Whether what is attested is still good. What is undetermined is refused as SERVICE__VERIFICATION__UNDETERMINED_STATUS says.
   * Throws `StatusRefusal`, or `AttestationStatusFault`.
   */
  async check(purpose: AttesterPurpose, attestation: StatedAttestation, now: Date): Promise<void> {
    const { status, keptStatus } = attestation;
    const rule = this.settings.authorization.attestationStatus;
    const kept = rule === 'off' || keptStatus === undefined ? undefined : readKept(keptStatus, now);
    if (rule === 'required' && status === undefined && kept === undefined) {
      throw new AttestationStatusFault('it has none, and this service accepts none without');
    }
    for (const one of [status, kept]) {
      if (one !== undefined) await this.checkOne(purpose, one, attestation, now);
    }
  }

  /** The same of one status, whatever the settings say of attestations. Throws `StatusRefusal`. */
  async checkOne(
    purpose: AttesterPurpose,
    status: JsonValue,
    { issuer = '', anchor }: Pick<StatedAttestation, 'issuer' | 'anchor'>,
    now: Date,
  ): Promise<void> {
    try {
      await this.checkers[purpose].check({ types: [], status, anchor }, issuer, now);
    } catch (cause) {
      if (!(cause instanceof FetchPostponed)) throw cause;
      throw new StatusRefusal('undetermined', cause.message, { cause });
    }
  }

  private checker(purpose: AttesterPurpose, undetermined: 'accept' | 'reject'): StatusChecker {
    return new StatusChecker({
      fetchDocument: this.issuers.fetchStatusList,
      issuerKeys: { find: (...asked) => this.keyOf(purpose, ...asked) },
      algorithms: JWS_ALGORITHMS,
      undetermined,
    });
  }

  /** Whoever may attest may sign the lists of it, and so may authorities for status lists; those of a list of trusted entities for their own entity alone. */
  private async keyOf(
    purpose: AttesterPurpose,
    ...asked: Parameters<IssuerKeys['find']>
  ): Promise<IssuerKey | SignerOfList> {
    const [header, , now, use] = asked;
    const vouching = use?.signs === 'status-list' ? use.issuerAnchor : undefined;
    const attesting = this.anchors.find(purpose);
    // A list may name one authority for several entities.
    const entities = attesting.filter((anchor) => anchor.fingerprint === vouching?.fingerprint);
    const isTheirs = ({ entity }: { readonly entity?: string }): boolean =>
      entity === undefined || entities.some((anchor) => anchor.entity === entity);
    try {
      const signing = [...attesting, ...this.anchors.find('status')].filter(isTheirs);
      const { leaf } = verifyCertificatePath(header['x5c'] ?? null, signing, now);
      return { key: leaf.x509.publicKey };
    } catch (refusal) {
      if (refusalReason(refusal) === undefined) throw refusal;
      return this.issuers.find(...asked);
    }
  }
}

/** The `status` of the claim, as long as its list is kept. Throws `StatusRefusal` or `AttestationStatusFault`. */
function readKept(claim: JsonValue, now: Date): JsonValue {
  const { status, exp } = isJsonObject(claim) ? claim : {};
  if (status === undefined || (exp !== undefined && typeof exp !== 'number')) {
    throw new AttestationStatusFault('it must be an object with status, and exp as a number');
  }
  if (exp === undefined || exp + CLOCK_SKEW_SECONDS > now.getTime() / 1000) return status;
  throw new AttestationStatusFault('it ended at its exp, since when nobody keeps it');
}
