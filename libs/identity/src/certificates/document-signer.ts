import { type CertifiedPlace, placeOf, readX509Extensions } from '@app/credentials';
import type { CertificateKey, SigningAlgorithm } from '@app/keys';
import type { X509Certificate } from 'node:crypto';

/** Who signs ISO 18013-5 documents, and CWTs about them, as COSE does. */
export interface DocumentSigner extends CertifiedPlace {
  /** RFC 7638 thumbprint of the key. */
  readonly keyId: string;
  readonly algorithm: SigningAlgorithm;
  /** DER, the document signer first; the root is left out. */
  readonly chain: readonly Buffer[];
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Key identifiers of the authorities above it, base64url. */
  readonly authorityKeyIds: readonly string[];
  /** Made by this service itself, of the development profile. */
  readonly isDevelopment: boolean;
  /** Raw, r and s side by side, 64 bytes. Rejects with `SignerError` when the key is elsewhere and cannot be had. */
  sign(data: Buffer): Promise<Buffer>;
}

/** @param chain the document signer first, without the root */
export function documentSigner(key: CertificateKey, chain: readonly X509Certificate[]): DocumentSigner {
  const [leaf] = chain;
  if (!leaf) throw new Error('A key that has a chain has no certificate.');
  return {
    keyId: key.kid,
    algorithm: key.algorithm,
    chain: chain.map(({ raw }) => raw),
    notBefore: new Date(leaf.validFrom),
    notAfter: new Date(leaf.validTo),
    ...placeOf(leaf.subject),
    authorityKeyIds: chain.flatMap(({ raw }) => readX509Extensions(raw)?.authorityKeyId ?? []),
    isDevelopment: key.kind !== 'documents',
    sign: (data) => key.sign(data),
  };
}
