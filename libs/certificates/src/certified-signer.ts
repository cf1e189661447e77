import { readX509Extensions } from '@app/credentials';
import type { SignJws } from '@app/jose';
import type { CertificateKey, SigningAlgorithm } from '@app/keys';
import { hash } from 'node:crypto';
import { certificatesOf } from './pem-chain';

/** A key of this service and the chain that vouches for it. */
export interface CertifiedSigner {
  /** SHA-256 of the DER of the leaf, base64url: what follows `x509_hash:` (OpenID4VP 1.0 §5.9.3). */
  readonly fingerprint: string;
  /** RFC 7638 thumbprint of the key. */
  readonly keyId: string;
  readonly algorithm: SigningAlgorithm;
  /** Base64 DER, the leaf first, without the trust anchor (RFC 7515 §4.1.6). */
  readonly x5c: readonly string[];
  /** Of the leaf's subject alternative names, in lower case. */
  readonly dnsNames: readonly string[];
  readonly uris: readonly string[];
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Compact JWS with `alg` and `x5c`, without `kid`. */
  readonly sign: SignJws;
}

/** The key with what its leaf says; undefined for a key without a chain. */
export function certifiedSigner(key: CertificateKey): CertifiedSigner | undefined {
  const chain = certificatesOf(key.chain ?? '');
  const [leaf] = chain;
  if (!leaf) return undefined;
  const x5c = chain.map(({ raw }) => raw.toString('base64'));
  const extensions = readX509Extensions(leaf.raw);
  return {
    fingerprint: hash('sha256', leaf.raw, 'base64url'),
    keyId: key.kid,
    algorithm: key.algorithm,
    x5c,
    dnsNames: extensions?.dnsNames ?? [],
    uris: extensions?.uris ?? [],
    notBefore: new Date(leaf.validFrom),
    notAfter: new Date(leaf.validTo),
    sign: (header, payload) => key.signJwt({ ...header, kid: undefined, x5c }, payload),
  };
}
