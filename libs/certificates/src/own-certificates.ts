import { type CertificateKey, CertificateKeys, type CertificateKind } from '@app/keys';
import { certifiedSigner, type CertifiedSigner } from './certified-signer';

/** What certificates of this service are for: OpenID4VP requests. */
export const certificateUses = ['requests'] as const;
export type CertificateUse = (typeof certificateUses)[number];

/** The certificates under which this service signs, and those under which it did. */
export class OwnCertificates {
  private readonly signers = new Map<string, CertifiedSigner>();

  /** @param withDevelopment whether certificates of the development root count */
  constructor(
    private readonly keys: Pick<CertificateKeys, 'all' | 'refresh'>,
    private readonly withDevelopment: boolean,
  ) {}

  /** The one for new signatures: of those valid at `now`, the one that was installed last. */
  current(use: CertificateUse, now: Date): CertifiedSigner | undefined {
    return (
      this.installed(use).findLast(isValidAt(now)) ?? this.installed(developmentKinds[use]).findLast(isValidAt(now))
    );
  }

  /**
   * One that was current once, also when it has expired or been replaced; undefined when there is none, or its key was
   * revoked. A fingerprint that is unknown here may be of one that another replica has just installed.
   */
  async find(use: CertificateUse, fingerprint: string): Promise<CertifiedSigner | undefined> {
    const find = (): CertifiedSigner | undefined =>
      [use, developmentKinds[use]]
        .flatMap((kind) => this.installed(kind))
        .find((one) => one.fingerprint === fingerprint);
    const known = find();
    if (known) return known;
    await this.keys.refresh();
    return find();
  }

  /** Those of one kind in the order of their installation. */
  private installed(kind: CertificateKind): CertifiedSigner[] {
    return this.keys
      .all()
      .filter((key) => key.kind === kind && key.status === 'active' && key.installedAt !== undefined)
      .sort((one, other) => Number(one.installedAt) - Number(other.installedAt))
      .flatMap((key) => this.signerOf(key) ?? []);
  }

  private signerOf(key: CertificateKey): CertifiedSigner | undefined {
    if (key.kind.startsWith('development-') && !this.withDevelopment) return undefined;
    const known = this.signers.get(key.kid);
    if (known) return known;
    const signer = certifiedSigner(key);
    if (signer) this.signers.set(key.kid, signer);
    return signer;
  }
}

const developmentKinds = { requests: 'development-requests' } as const;

function isValidAt(now: Date): (signer: CertifiedSigner) => boolean {
  return ({ notBefore, notAfter }) => notBefore <= now && now < notAfter;
}
