import type { CertifiableKey, SigningAlgorithm } from '@app/keys';
import { CertificateFault } from '../certificate-fault';

/** What is asked of a certificate authority. */
export interface RequestedNames {
  /** Distinguished name, such as `CN=Example, O=Example Ltd, C=DE`. */
  readonly subject: string;
  readonly dns: readonly string[];
  readonly uris: readonly string[];
}

/** A certification request (PKCS#10, RFC 2986) in PEM, signed with the key. Throws `CertificateFault`. */
export async function certificationRequest(
  key: CertifiableKey & { readonly algorithm: SigningAlgorithm },
  { subject, dns, uris }: RequestedNames,
): Promise<string> {
  const x509 = await import('@peculiar/x509');
  const isNamed = subject.includes('=') && parses(() => new x509.Name(subject));
  if (!isNamed) {
    throw new CertificateFault('a subject that is no distinguished name', 'write it as "CN=Example, O=Example Ltd"');
  }
  const names = [
    ...dns.map((value) => ({ type: 'dns' as const, value })),
    ...uris.map((value) => ({ type: 'url' as const, value })),
  ];
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys: await key.cryptoKeys(),
    signingAlgorithm: key.algorithm === 'ES256' ? { name: 'ECDSA', hash: 'SHA-256' } : { name: 'Ed25519' },
    extensions: [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.SubjectAlternativeNameExtension(names),
    ],
  });
  return `${request.toString('pem')}\n`;
}

function parses(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}
