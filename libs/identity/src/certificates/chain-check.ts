import { isIssuedBy, publicJwkOf, readX509Extensions } from '@app/credentials';
import { thumbprint } from '@app/primitives/jose';
import type { X509Certificate } from 'node:crypto';
import { CertificateFault, demandOfCertificate } from '../certificate-fault';
import { chainIn } from '../pem';

const mostCertificates = 5;

/** A chain that wallets can verify when they have its trust anchor. */
export interface CheckedChain {
  /** The leaf first; without the trust anchor. */
  readonly certificates: readonly X509Certificate[];
  /** What stands at the end of what was given, when it was. */
  readonly root?: X509Certificate;
  /** RFC 7638 thumbprint of the key of the leaf. */
  readonly kid: string;
}

/**
 * Checks what a certificate authority has issued, except whose key it is and which names it has. A trust anchor at the end
 * is left out (HAIP 1.0 §5, §6.1.1). Throws `CertificateFault`.
 * @param pem the leaf first, then the one that issued it, and so on
 */
export function checkCertificateChain(pem: string, now: Date): CheckedChain {
  const sent = chainOf(pem);
  const [leaf] = sent;
  demandOfCertificate(leaf !== undefined, 'no certificate', 'give a PEM file with -----BEGIN CERTIFICATE-----');
  demandOfCertificate(!isSelfSigned(leaf), 'a self-signed certificate', 'have it issued by a certificate authority');
  const certificates = withoutRoot(sent);
  demandOfCertificate(
    certificates.length <= mostCertificates,
    `more than ${mostCertificates} certificates`,
    'give the leaf and those between it and the root only',
  );
  checkLeaf(leaf);
  for (const [index, certificate] of sent.entries()) {
    const above = sent[index + 1];
    demandOfCertificate(
      above === undefined || isIssuedBy(certificate, above),
      `a wrong order: certificate ${index + 1} is not issued by certificate ${index + 2}`,
      'put the leaf first, and after each the one that issued it',
    );
    demandOfCertificate(
      index === 0 || readX509Extensions(certificate.raw)?.isAuthority === true,
      `an issuer that is no authority: certificate ${index + 1}`,
      remedyOfAuthority,
    );
    checkTime(certificate, index + 1, now);
  }
  const kid = kidOf(leaf);
  demandOfCertificate(
    kid !== undefined,
    'a key of another kind',
    'have the certificate issued for the key of the request',
  );
  const root = sent[certificates.length];
  return { certificates, kid, ...(root && { root }) };
}

/** Without the trust anchor at the end. */
export function withoutRoot(sent: readonly X509Certificate[]): readonly X509Certificate[] {
  const last = sent.at(-1);
  return last && isSelfSigned(last) ? sent.slice(0, -1) : sent;
}

const remedyOfAuthority = 'ask the certificate authority for its chain';

/** Thumbprint of the key of a certificate; undefined for one of a kind that this service has no keys of. */
export function kidOf(certificate: X509Certificate): string | undefined {
  const key = publicJwkOf(certificate);
  return key && thumbprint(key);
}

function chainOf(pem: string): readonly X509Certificate[] {
  try {
    return chainIn(pem);
  } catch {
    throw new CertificateFault('a malformed certificate', 'export the chain again as PEM');
  }
}

function checkLeaf(leaf: X509Certificate): void {
  const extensions = readX509Extensions(leaf.raw);
  demandOfCertificate(extensions !== undefined, 'malformed extensions in the certificate', remedyOfLeaf);
  demandOfCertificate(!extensions.isAuthority, 'a certificate of an authority (basicConstraints CA)', remedyOfLeaf);
  demandOfCertificate(extensions.digitalSignature !== false, 'a key usage without digitalSignature', remedyOfLeaf);
  demandOfCertificate(
    !extensions.unknownCritical,
    'a critical extension that wallets need not understand',
    remedyOfLeaf,
  );
}

const remedyOfLeaf = 'have an end-entity certificate issued with the key usage digitalSignature';

function checkTime({ validFrom, validTo }: X509Certificate, position: number, now: Date): void {
  const which = `certificate ${position}`;
  demandOfCertificate(
    now < new Date(validTo),
    `an expired certificate: ${which} ended ${new Date(validTo).toISOString()}`,
    'have a new one issued',
  );
  demandOfCertificate(
    new Date(validFrom) <= now,
    `a certificate that is not valid yet: ${which} begins ${new Date(validFrom).toISOString()}`,
    'install it then, or set the clock of this machine',
  );
}

function isSelfSigned(certificate: X509Certificate): boolean {
  return certificate.checkIssued(certificate);
}
