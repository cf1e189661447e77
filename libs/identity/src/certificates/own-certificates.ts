import { type KeyPair, type CertificateKeys, type CertificateKind, type KeyRing, signingAlgorithms } from '@app/keys';
import {
  type Certification,
  certificationOf,
  certifiedSigner,
  type CertifiedSigner,
  isValidAt,
} from './certified-signer';

/** What certificates of this service are for: credentials with their status lists, and OpenID4VP requests. */
export const certificateUses = ['credentials', 'requests'] as const;
export type CertificateUse = (typeof certificateUses)[number];

/** A certificate under which this service signs. */
export interface CertificateInUse extends CertifiedSigner {
  readonly use: CertificateUse;
}

/** The chains of the development profile for signing keys, PEM by thumbprint. */
export type DevelopmentChains = ReadonlyMap<string, string>;

/** The certificates under which this service signs, and those under which it did. */
export class OwnCertificates {
  private readonly read = new Map<string, Certification | undefined>();

  /** @param development absent in production, where certificates of a development root count for nothing */
  constructor(
    private readonly keys: Pick<CertificateKeys, 'all' | 'refresh'>,
    private readonly ring: Pick<KeyRing, 'findActive' | 'chainOf'>,
    private readonly development?: DevelopmentChains,
  ) {}

  /** The one for new signatures: of those valid at `now`, the one that was installed last. ES256. */
  current(use: CertificateUse, now: Date): CertifiedSigner | undefined {
    const isValid = isValidAt(now);
    if (use === 'requests') return this.requests('requests').findLast(isValid) ?? this.developed().findLast(isValid);
    const key = this.ring.findActive('ES256', 'credentials');
    const signer = key && this.ofKey(key);
    return signer && isValid(signer) ? signer : undefined;
  }

  /**
   * One for requests that was current once, also when it has expired or been replaced; undefined when there is none, or its
   * key was revoked. A fingerprint that is unknown here may be of one that another replica has just installed.
   */
  async find(_use: 'requests', fingerprint: string): Promise<CertifiedSigner | undefined> {
    const find = (): CertifiedSigner | undefined =>
      [...this.requests('requests'), ...this.developed()].find((one) => one.fingerprint === fingerprint);
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

  /** For each use the one that signs, or would, had it not expired. */
  inUse(now: Date): CertificateInUse[] {
    const credentials = signingAlgorithms.flatMap((algorithm) => {
      const key = this.ring.findActive(algorithm, 'credentials');
      return (key && this.ofKey(key)) ?? [];
    });
    const request = this.current('requests', now) ?? this.requests('requests').at(-1) ?? this.developed().at(-1);
    return [
      ...credentials.map((signer) => ({ ...signer, use: 'credentials' as const })),
      ...(request ? [{ ...request, use: 'requests' as const }] : []),
    ];
  }

  /** The uses whose certificate has expired without a successor. */
  expired(now: Date): CertificateUse[] {
    return this.inUse(now).flatMap(({ use, notAfter }) => (notAfter <= now ? [use] : []));
  }

  private developed(): CertifiedSigner[] {
    return this.development ? this.requests('development-requests') : [];
  }

  /** In the order of their installation. */
  private requests(kind: CertificateKind & `${string}requests`): CertifiedSigner[] {
    return this.keys
      .all()
      .filter((key) => key.kind === kind && key.status === 'active' && key.installedAt !== undefined)
      .sort((one, other) => Number(one.installedAt) - Number(other.installedAt))
      .flatMap((key) => {
        const certified = this.certificationOf(key.chain ?? '');
        return certified ? [certifiedSigner(key, certified, kind !== 'requests')] : [];
      });
  }

  private certificationOf(chain: string): Certification | undefined {
    if (!this.read.has(chain)) this.read.set(chain, certificationOf(chain));
    return this.read.get(chain);
  }
}
