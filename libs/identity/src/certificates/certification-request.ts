import type { KeyPair } from '@app/keys';
import type { Name } from '@peculiar/x509';
import { CertificateFault, demandOfCertificate } from '../certificate-fault';
import { DOCUMENT_SIGNER } from './document-profile';
import { spkiOf } from './own-names';

/** What is asked of a certificate authority. */
export interface RequestedNames {
  /** Distinguished name, such as `CN=Example, O=Example Ltd, C=DE`. */
  readonly subject: string;
  readonly dns: readonly string[];
  readonly uris: readonly string[];
  readonly emails?: readonly string[];
  /** Asks for the profile of an ISO 18013-5 document signer. */
  readonly isDocumentSigner?: boolean;
}

/** A certification request (PKCS#10, RFC 2986) in PEM, signed by the key, wherever it is. Throws `CertificateFault`. */
export async function certificationRequest(
  key: KeyPair,
  { subject, dns, uris, emails = [], isDocumentSigner = false }: RequestedNames,
): Promise<string> {
  const x509 = await import('@peculiar/x509');
  const isNamed = subject.includes('=') && parses(() => new x509.Name(subject));
  if (!isNamed) {
    throw new CertificateFault('a subject that is no distinguished name', 'write it as "CN=Example, O=Example Ltd"');
  }
  if (isDocumentSigner) demandDocumentSubject(new x509.Name(subject));
  const names = [
    ...dns.map((value) => ({ type: 'dns' as const, value })),
    ...uris.map((value) => ({ type: 'url' as const, value })),
    ...emails.map((value) => ({ type: 'email' as const, value })),
  ];
  const isEcdsa = key.algorithm === 'ES256';
  const signingAlgorithm = isEcdsa ? { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } : { name: 'Ed25519' };
  // The library signs through this, and asks for no handle of a key: the key may be in a device.
  const signing = {
    subtle: {
      exportKey: () => Promise.resolve(spkiOf(key)),
      sign: async (_algorithm: unknown, _key: unknown, data: ArrayBuffer) =>
        new Uint8Array(await key.sign(Buffer.from(data))).buffer,
    },
  };
  const request = await x509.Pkcs10CertificateRequestGenerator.create(
    {
      name: subject,
      keys: { publicKey: {}, privateKey: { algorithm: signingAlgorithm } } as never,
      signingAlgorithm,
      extensions: [
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        ...(isDocumentSigner ? [new x509.ExtendedKeyUsageExtension([DOCUMENT_SIGNER], true)] : []),
        ...(names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)]),
      ],
    },
    signing,
  );
  return `${request.toString('pem')}\n`;
}

/** ISO 18013-5 annex B. */
function demandDocumentSubject(subject: Name): void {
  const remedy =
    'give --subject "CN=..., C=..." with the country (C) of the root that will issue it, and its ST where it has one';
  const [country] = subject.getField('C');
  demandOfCertificate(country !== undefined, 'a subject without a country', remedy);
  demandOfCertificate(/^[A-Z]{2}$/.test(country), 'a country that is not two capital letters', remedy);
  demandOfCertificate(subject.getField('CN').length > 0, 'a subject without a name (CN)', remedy);
}

function parses(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}
