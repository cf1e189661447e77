import {
  type CertificateKey,
  type CertificateKeys,
  type CertificateKind,
  type KeyPair,
  type KeyRing,
  type SigningAlgorithm,
  signingAlgorithms,
} from '@app/keys';
import {
  type Certification,
  certificationOf,
  certifiedSigner,
  type CertifiedSigner,
  isValidAt,
} from './certified-signer';
import type { AccessUse, CertificateUse, DevelopmentChains } from './certificate-use';
import { type DocumentSigner, documentSigner } from './document-signer';
import { chainIn } from '../pem';

/** Uses whose keys are beside those of the ring. */
type StoredUse = Exclude<CertificateUse, 'credentials'>;

/** A certificate under which this service signs. */
export interface CertificateInUse extends CertifiedSigner {
  readonly use: CertificateUse;
}

/** The certificates under which this service signs, and those under which it did. */
export class OwnCertificates {
  private readonly read = new Map<string, Certification | undefined>();
  private signers: { readonly reading: unknown; readonly all: readonly DocumentSigner[] } | undefined;

  /** @param development absent in production, where certificates of a development root count for nothing */
  constructor(
    private readonly keys: Pick<CertificateKeys, 'all' | 'refresh' | 'reading'>,
    private readonly ring: Pick<KeyRing, 'findActive' | 'chainOf'>,
    private readonly development?: DevelopmentChains,
  ) {}

  /** The one for new signatures: of those valid at `now`, the one that was installed last. ES256. */
  current(use: CertificateUse, now: Date): CertifiedSigner | undefined {
    const isValid = isValidAt(now);
    if (use !== 'credentials') return this.installed(use, 'ES256').findLast(isValid);
    const key = this.ring.findActive('ES256', 'credentials');
    const signer = key && this.ofKey(key);
    return signer && isValid(signer) ? signer : undefined;
  }

  /** Under which identifier wallets know who asks or offers (`partyIdentifier`); undefined when no valid certificate says so. */
  party(use: AccessUse, now: Date): string | undefined {
    const signing = use === 'metadata' && !this.hasMetadata() ? 'credentials' : use;
    return this.current(signing, now)?.party;
  }

  /** Whether a certificate was installed for metadata alone, valid or not. */
  hasMetadata(): boolean {
    return this.keysOf('metadata').length > 0;
  }

  /**
   * One for requests that was current once, also when it has expired or been replaced; undefined when there is none, or its
   * key was revoked. A fingerprint that is unknown here may be of one that another replica has just installed.
   */
  async find(_use: 'requests', fingerprint: string): Promise<CertifiedSigner | undefined> {
    const find = (): CertifiedSigner | undefined =>
      this.installed('requests', 'ES256').find((one) => one.fingerprint === fingerprint);
    const known = find();
    if (known) return known;
    await this.keys.refresh();
    return find();
  }

  /** That of a key with which credentials are signed, whether it is valid or not. */
  ofKey(key: KeyPair): CertifiedSigner | undefined {
    const installed = this.ring.chainOf(key.kid);
    const chain = installed ?? this.development?.get(key.kid);
    const certified = chain === undefined ? undefined : this.certificationOf(chain);
    return certified && certifiedSigner(key, certified, installed === undefined);
  }

  /**
   * Who signs ISO 18013-5 documents in an algorithm: of those valid at `now`, the one that was installed last. Read from the
   * certificates once for each reading of the key store.
   */
  documentSigner(algorithm: SigningAlgorithm, now: Date): DocumentSigner | undefined {
    const isValid = isValidAt(now);
    return this.documentSigners().findLast((signer) => signer.algorithm === algorithm && isValid(signer));
  }

  /** Those who sign documents, or did; not those whose key was revoked. */
  documentSigners(): readonly DocumentSigner[] {
    const { reading } = this.keys;
    if (this.signers && this.signers.reading === reading) return this.signers.all;
    const all = this.keysOf('documents').map((key) => documentSigner(key, chainIn(key.chain ?? '')));
    this.signers = { reading, all };
    return all;
  }

  /** Whether a thumbprint is that of a key of a certificate that was revoked. */
  isRevoked(kid: string): boolean {
    return this.keys.all().some((key) => key.status === 'revoked' && key.kid === kid);
  }

  /** For each use the one that signs, or would, had it not expired. */
  inUse(now: Date): CertificateInUse[] {
    const credentials = signingAlgorithms.flatMap((algorithm) => {
      const key = this.ring.findActive(algorithm, 'credentials');
      return (key && this.ofKey(key)) ?? [];
    });
    const latest = (use: StoredUse, algorithm: SigningAlgorithm): CertificateInUse[] => {
      const all = this.installed(use, algorithm);
      const one = all.findLast(isValidAt(now)) ?? all.at(-1);
      return one ? [{ ...one, use }] : [];
    };
    return [
      ...credentials.map((signer) => ({ ...signer, use: 'credentials' as const })),
      ...latest('requests', 'ES256'),
      ...signingAlgorithms.flatMap((algorithm) => latest('documents', algorithm)),
      ...latest('metadata', 'ES256'),
    ];
  }

  /** The uses whose certificate has expired without a successor. */
  expired(now: Date): CertificateUse[] {
    return this.inUse(now).flatMap(({ use, notAfter }) => (notAfter <= now ? [use] : []));
  }

  /** In the order of their installation, those of development before all others. */
  private installed(use: StoredUse, algorithm: SigningAlgorithm): CertifiedSigner[] {
    return this.keysOf(use).flatMap((key) => {
      const certified = key.algorithm === algorithm ? this.certificationOf(key.chain ?? '') : undefined;
      return certified ? [certifiedSigner(key, certified, key.kind !== use)] : [];
    });
  }

  private keysOf(use: StoredUse): CertificateKey[] {
    const ofKind = (kind: CertificateKind): CertificateKey[] =>
      this.keys
        .all()
        .filter((key) => key.kind === kind && key.status === 'active' && key.installedAt !== undefined)
        .sort((one, other) => Number(one.installedAt) - Number(other.installedAt));
    // The root of development certifies none for metadata: that for credentials signs them.
    return [...(this.development && use !== 'metadata' ? ofKind(`development-${use}`) : []), ...ofKind(use)];
  }

  private certificationOf(chain: string): Certification | undefined {
    if (!this.read.has(chain)) this.read.set(chain, certificationOf(chain));
    return this.read.get(chain);
  }
}
