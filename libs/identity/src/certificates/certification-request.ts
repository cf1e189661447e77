import type { KeyPair } from '@app/keys';
import { CertificateFault } from '../certificate-fault';
import { spkiOf } from './own-names';

/** What is asked of a certificate authority. */
export interface RequestedNames {
  /** Distinguished name, such as `CN=Example, O=Example Ltd, C=DE`. */
  readonly subject: string;
  readonly dns: readonly string[];
  readonly uris: readonly string[];
}

/** A certification request (PKCS#10, RFC 2986) in PEM, signed by the key, wherever it is. Throws `CertificateFault`. */
export async function certificationRequest(key: KeyPair, { subject, dns, uris }: RequestedNames): Promise<string> {
  const x509 = await import('@peculiar/x509');
  const isNamed = subject.includes('=') && parses(() => new x509.Name(subject));
  if (!isNamed) {
    throw new CertificateFault('a subject that is no distinguished name', 'write it as "CN=Example, O=Example Ltd"');
  }
  const names = [
    ...dns.map((value) => ({ type: 'dns' as const, value })),
    ...uris.map((value) => ({ type: 'url' as const, value })),
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
        new x509.SubjectAlternativeNameExtension(names),
      ],
    },
    signing,
  );
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
