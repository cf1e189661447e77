import { partyIdentifier, readX509Extensions, subjectOf } from '@app/credentials';
import type { SignJws } from '@app/primitives/jose';
import { type KeyPair, type SigningAlgorithm, signJwt } from '@app/keys';
import { hash } from 'node:crypto';
import { chainIn } from '../pem';

const warnedDays = 30;

/** What the certificate of a key of this service says. */
export interface Certification {
  /** SHA-256 of the DER of the leaf, base64url: what follows `x509_hash:` (OpenID4VP 1.0 §5.9.3). */
  readonly fingerprint: string;
  /** Base64 DER, the leaf first, without the trust anchor (RFC 7515 §4.1.6). */
  readonly x5c: readonly string[];
  /** Of the leaf, on one line. */
  readonly subject: string;
  /** Under which its holder is registered, see `partyIdentifier`. */
  readonly party?: string;
  /** Of the leaf's subject alternative names, in lower case. */
  readonly dnsNames: readonly string[];
  readonly uris: readonly string[];
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** A key of this service and the chain that vouches for it. */
export interface CertifiedSigner extends Certification {
  /** RFC 7638 thumbprint of the key. */
  readonly keyId: string;
  readonly algorithm: SigningAlgorithm;
  /** Made by this service itself, of the development profile. */
  readonly isDevelopment: boolean;
  /** Compact JWS with `alg` and `x5c`, without `kid`. */
  readonly sign: SignJws;
}

/** @param pem the leaf first; undefined when it holds no certificate */
export function certificationOf(pem: string): Certification | undefined {
  const chain = chainIn(pem);
  const [leaf] = chain;
  if (!leaf) return undefined;
  const extensions = readX509Extensions(leaf.raw);
  const party = partyIdentifier(leaf);
  return {
    fingerprint: hash('sha256', leaf.raw, 'base64url'),
    x5c: chain.map(({ raw }) => raw.toString('base64')),
    subject: subjectOf(leaf),
    ...(party !== undefined && { party }),
    dnsNames: extensions?.dnsNames ?? [],
    uris: extensions?.uris ?? [],
    notBefore: new Date(leaf.validFrom),
    notAfter: new Date(leaf.validTo),
  };
}

export function certifiedSigner(key: KeyPair, certified: Certification, isDevelopment: boolean): CertifiedSigner {
  const { x5c } = certified;
  return {
    ...certified,
    keyId: key.kid,
    algorithm: key.algorithm,
    isDevelopment,
    sign: (header, payload) => signJwt(key, { ...header, kid: undefined, x5c }, payload),
  };
}

/** From when on operators are warned that a certificate ends. */
export function warnedBefore({ notAfter }: Certification): Date {
  return new Date(notAfter.getTime() - warnedDays * 24 * 60 * 60 * 1000);
}

export function isValidAt(now: Date): (certified: Pick<Certification, 'notBefore' | 'notAfter'>) => boolean {
  return ({ notBefore, notAfter }) => notBefore <= now && now < notAfter;
}
