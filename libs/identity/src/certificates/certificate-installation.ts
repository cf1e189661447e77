import {
  type CertificateKey,
  type CertificateKeys,
  type KeyPair,
  type KeyRing,
  type SigningAlgorithm,
  SigningKey,
} from '@app/keys';
import type { CertificateProfile } from '@app/config';
import { CertificateFault, demandOfCertificate } from '../certificate-fault';
import { accessFaultOf, readAccessProfile } from './access-profile';
import { type Certification, certificationOf } from './certified-signer';
import { checkCertificateChain, type CheckedChain, kidOf, withoutRoot } from './chain-check';
import { certificateUses, type CertificateUse } from './certificate-use';
import { checkDocumentProfile } from './document-profile';
import { covers, type OwnNames } from './own-names';
import { chainIn, pemOf } from '../pem';

/** Uses whose keys may be made elsewhere and given in files. */
export type FileUse = Exclude<CertificateUse, 'credentials'>;

/** Where a key is that does not enter this process. */
export interface KeyAt {
  /** As the settings name it. */
  readonly provider: string;
  /** As the provider names it; absent where it makes the key. */
  readonly reference?: string;
}

/** A key that waits for a certificate. */
export type WaitingKey = KeyPair;

/** A chain that is in use from now on. */
export interface Installed extends Certification {
  readonly use: CertificateUse;
  readonly kid: string;
  /** False when it was there before. */
  readonly isNew: boolean;
  /** What others may object to, in words. */
  readonly warnings: readonly string[];
}

/** Requests and installs certificates of this service. Faults are thrown as `CertificateFault`. */
export class CertificateInstallation {
  constructor(
    private readonly ring: KeyRing,
    private readonly keys: CertificateKeys,
    private readonly names: OwnNames,
    private readonly profile: CertificateProfile = '',
  ) {}

  /**
   * The key for the next certificate of a use: for credentials the present signing key there while it has none, else a new one
   * that takes its place with the certificate. Repeated, it is the same key until the certificate is installed.
   * @param at absent for a key in the database; else rejects with `SignerError`
   */
  async keyFor(use: CertificateUse, algorithm: SigningAlgorithm, at?: KeyAt): Promise<WaitingKey> {
    if (use === 'credentials' && at?.reference === undefined) {
      const present = this.ring.activeAt(algorithm, at?.provider);
      if (present && this.ring.chainOf(present.kid) === undefined) return present;
    }
    const find = (): CertificateKey | undefined =>
      this.keys
        .all()
        .find(
          (key) =>
            key.kind === use &&
            key.algorithm === algorithm &&
            key.place?.provider === at?.provider &&
            this.isWaiting(key),
        );
    if (at) return (at.reference === undefined ? find() : undefined) ?? this.keyAt(use, algorithm, at);
    while (!find()) await this.keys.add(use, algorithm);
    const key = find();
    if (!key) throw new Error('The new key is missing.');
    return key;
  }

  private async keyAt(use: CertificateUse, algorithm: SigningAlgorithm, at: KeyAt): Promise<WaitingKey> {
    const kid = await this.keys.addAt(use, algorithm, at.provider, at.reference);
    const key = this.keys.all().find((one) => one.kid === kid);
    demandOfCertificate(
      key?.kind === use && this.isWaiting(key),
      'a key that has a certificate, or signs something else',
      'name another key',
    );
    return key;
  }

  /** Checks a chain and signs with its key from now on. @param pem see `checkCertificateChain` */
  async install(pem: string, now: Date): Promise<Installed> {
    const chain = checkCertificateChain(pem, now);
    const { kid } = chain;
    const use = this.useOf(chain);
    const text = pemOf(chain.certificates);
    const certified = this.read(use, text);
    const warnings = await this.warningsOf(use, chain);
    const before = this.keys.all().find((key) => key.kid === kid)?.chain ?? this.ring.chainOf(kid);
    if (before !== undefined) {
      demandOfCertificate(
        certificationOf(before)?.fingerprint === certified.fingerprint,
        'another certificate for a key that has one',
        'have the next one issued for a new key: "sealwright certificates request"',
      );
      // The certificates between may have been missing, or have been issued again.
      if (before === text) return { ...certified, use, kid, isNew: false, warnings };
    }
    await this.activate(use, kid, text);
    return { ...certified, use, kid, isNew: true, warnings };
  }

  /**
   * Checks a chain whose key was made elsewhere, and stores both. One that is there already is not checked
   * again, so that a service whose certificate has ended starts; other certificates above the same leaf take the place of
   * those before.
   * @param privateKey PEM, P-256
   */
  async installWithKey(
    use: FileUse,
    privateKey: string,
    pem: string,
    now: Date,
  ): Promise<Pick<Installed, 'kid' | 'isNew' | 'warnings'>> {
    const given = chainOf(pem);
    const leaf = (chain: string): string => chain.slice(0, chain.indexOf('-----END'));
    const present = this.keys.all().find(({ chain }) => chain !== undefined && leaf(chain) === leaf(given));
    if (present) {
      if (present.chain === given) return { kid: present.kid, isNew: false, warnings: [] };
      const warnings = await this.warningsOf(use, checkCertificateChain(pem, now));
      return { kid: present.kid, isNew: await this.keys.install(present.kid, given), warnings };
    }
    const chain = checkCertificateChain(pem, now);
    const { kid, certificates } = chain;
    demandOfCertificate(
      kid === kidOfPrivateKey(privateKey),
      'a certificate for another key than the one beside it',
      'give the key whose certificate is the first of the chain',
    );
    demandOfCertificate(
      !this.ring.knows(kid) && !this.keys.all().some((key) => key.kid === kid),
      'another certificate for a key that has one',
      'have it issued for a new key, and give that with it',
    );
    const text = pemOf(certificates);
    this.read(use, text);
    const warnings = await this.warningsOf(use, chain);
    await this.keys.take(use, privateKey, text);
    return { kid, isNew: true, warnings };
  }

  private async activate(use: CertificateUse, kid: string, chain: string): Promise<void> {
    if (use !== 'credentials') {
      demandOfCertificate(await this.keys.install(kid, chain), 'a key that has been revoked', 'make a new request');
      return;
    }
    if (this.ring.knows(kid)) {
      demandOfCertificate(await this.ring.certify(kid, chain), 'a key that no longer signs', 'make a new request');
      return;
    }
    await this.keys.promote(kid, chain, this.ring);
    demandOfCertificate(
      this.ring.chainOf(kid) === chain,
      'another key that was activated at the same time',
      'install it again',
    );
  }

  private useOf({ kid, certificates }: CheckedChain): CertificateUse {
    const ours = (each: string | undefined): CertificateUse | undefined => {
      if (each === undefined) return undefined;
      if (this.ring.knows(each)) return 'credentials';
      const key = this.keys.all().find((one) => one.kid === each);
      return certificateUses.find((use) => use === key?.kind);
    };
    const use = ours(kid);
    if (use) return use;
    const place = certificates.findIndex((certificate) => ours(kidOf(certificate)) !== undefined);
    throw place < 0
      ? new CertificateFault(
          'a certificate for a key that is not of this service',
          'have it issued for a request of "sealwright certificates request"',
        )
      : new CertificateFault(`the certificate of this service at place ${place + 1}`, 'put it first');
  }

  private read(use: CertificateUse, pem: string): Certification {
    const certified = certificationOf(pem);
    demandOfCertificate(certified !== undefined, 'no certificate', 'give the chain as PEM');
    const { host, issuer } = this.names;
    const wanted = use === 'requests' ? `the DNS name ${host}` : `the URI ${issuer} or the DNS name ${host}`;
    // An access certificate names the party; by its hash it is bound to requests without the name of a host.
    const isNamed = covers(use, certified, this.names) || (use === 'requests' && this.profile === 'eudi');
    demandOfCertificate(
      isNamed,
      `a certificate without ${wanted} among its subject alternative names`,
      'request it again under the public URL that the service has',
    );
    return certified;
  }

  /** Throws `CertificateFault`. */
  private async warningsOf(use: CertificateUse, chain: CheckedChain): Promise<readonly string[]> {
    if (use === 'documents') return checkDocumentProfile(chain);
    const [leaf] = chain.certificates;
    if (use === 'credentials' || this.profile === 'none' || !leaf) return [];
    const access = readAccessProfile(leaf);
    const { flaws } = access;
    const found = accessFaultOf(access);
    if (found === undefined) return flaws;
    demandOfCertificate(
      this.profile !== 'eudi',
      found,
      'have it issued by the authority for access certificates that you are registered with, or leave SERVICE__CERTIFICATES__PROFILE out',
    );
    return [`it is ${found}`, ...flaws];
  }

  private isWaiting({ kid, status, chain }: CertificateKey): boolean {
    return status === 'active' && chain === undefined && !this.ring.knows(kid);
  }
}

/** As it would be stored; '' when it cannot be read, of which the check of the chain says what is wrong. */
function chainOf(pem: string): string {
  try {
    return pemOf(withoutRoot(chainIn(pem)));
  } catch {
    return '';
  }
}

/** Throws `CertificateFault`. */
function kidOfPrivateKey(pem: string): string {
  try {
    const { key } = SigningKey.fromPem(pem);
    if (key.algorithm === 'ES256') return key.kid;
  } catch {
    // The message of OpenSSL helps nobody.
  }
  throw new CertificateFault('no private key on P-256', 'give it as PKCS#8 in PEM, without a password');
}
