import { equalJwks, type PublicJwk } from '@app/primitives/jose';
import type { JsonValue } from '@app/primitives/json';
import { X509Certificate } from 'node:crypto';
import { demand, Refusal } from '../presentation-check';
import { isIssuedBy, publicJwkOf } from './x509-certificate';
import { readX509Extensions, type X509Extensions } from './x509-extensions';

const MAX_CERTIFICATES = 5;

/** A certificate that vouches for others. */
export type ChainAnchor = { readonly certificate: X509Certificate };

/** A verified chain: the key and the names of its leaf, and the key ids of the authorities that vouch for it. */
export type VerifiedChain<Anchor extends ChainAnchor> = {
  readonly key: PublicJwk;
  readonly dnsNames: readonly string[];
  readonly uris: readonly string[];
  /** base64url, those of the anchor included. */
  readonly authorityKeyIds: readonly string[];
  readonly anchor: Anchor;
  /** What is known of each certificate, from the leaf to the anchor. */
  readonly path: readonly Certificate[];
};

export type Certificate = { readonly x509: X509Certificate; readonly extensions: X509Extensions };

/**
 * Verifies an `x5c` header (RFC 7515 §4.1.6) against trust anchors: each certificate signed by the next, until one is signed
 * by an anchor; all valid now; authorities marked as such and within their path lengths; no critical extension that is not
 * understood; the leaf not self-signed and allowed to sign. Throws `Refusal`. Revocation of certificates is not looked up.
 * @param accept what else an anchor has to fulfil; throws `Refusal`
 */
export function verifyCertificateChain<Anchor extends ChainAnchor>(
  x5c: JsonValue,
  anchors: readonly Anchor[],
  now: Date,
  accept: (anchor: Anchor) => void = () => undefined,
): VerifiedChain<Anchor> {
  return verifyChain(readChain(x5c), anchors, now, accept);
}

/** A chain as above whose leaf may have a key of any kind. */
export type VerifiedPath<Anchor extends ChainAnchor> = Pick<VerifiedChain<Anchor>, 'anchor' | 'path'> & {
  readonly leaf: Certificate;
};

/** The same of an `x5c` header of an authority that does not follow the profiles of wallets. Throws `Refusal`. */
export function verifyCertificatePath<Anchor extends ChainAnchor>(
  x5c: JsonValue,
  anchors: readonly Anchor[],
  now: Date,
): VerifiedPath<Anchor> {
  return verifyPath(readChain(x5c), anchors, now, () => undefined);
}

/** The same of certificates in DER, as COSE has them (`x5chain`, RFC 9360). Throws `Refusal`. */
export function verifyDerChain<Anchor extends ChainAnchor>(
  x5chain: readonly Uint8Array[],
  anchors: readonly Anchor[],
  now: Date,
  accept: (anchor: Anchor) => void,
): VerifiedChain<Anchor> {
  demand(x5chain.length <= MAX_CERTIFICATES, 'x5chain has too many certificates');
  return verifyChain(
    x5chain.map((der) => describe(parse(Buffer.from(der)))),
    anchors,
    now,
    accept,
  );
}

function verifyChain<Anchor extends ChainAnchor>(
  sent: readonly Certificate[],
  anchors: readonly Anchor[],
  now: Date,
  accept: (anchor: Anchor) => void,
): VerifiedChain<Anchor> {
  return chainOf(verifyPath(sent, anchors, now, accept));
}

function verifyPath<Anchor extends ChainAnchor>(
  sent: readonly Certificate[],
  anchors: readonly Anchor[],
  now: Date,
  accept: (anchor: Anchor) => void,
): VerifiedPath<Anchor> {
  const isAnchor = ({ x509 }: Certificate): boolean =>
    anchors.some(({ certificate }) => certificate.raw.equals(x509.raw));
  // HAIP leaves the anchor out of the chain, others send it along: what follows it says nothing.
  const end = sent.findIndex(isAnchor);
  const chain = end < 0 ? sent : sent.slice(0, end);
  const [leaf] = chain;
  demand(leaf !== undefined, 'the certificate of the issuer is itself a trust anchor');
  demand(!leaf.x509.checkIssued(leaf.x509), 'the certificate of the issuer is self-signed');
  demand(leaf.extensions.digitalSignature !== false, 'the certificate of the issuer is not for signatures');
  return { leaf, ...findPath(chain, anchors, now, accept) };
}

/** Throws `Refusal` for a key of the leaf that is not one of wallets. */
function chainOf<Anchor extends ChainAnchor>({ leaf, anchor, path }: VerifiedPath<Anchor>): VerifiedChain<Anchor> {
  const { x509, extensions } = leaf;
  const { dnsNames, uris } = extensions;
  return { key: keyOfCertificate(x509), dnsNames, uris, authorityKeyIds: keyIdsOf(path), anchor, path };
}

/** The same of a root that is leaf and anchor in one: the first of these anchors that is it and is accepted. Throws `Refusal`. */
export function verifyRootAlone<Anchor extends ChainAnchor>(
  root: X509Certificate,
  anchors: readonly Anchor[],
  now: Date,
  accept: (anchor: Anchor) => void,
): VerifiedChain<Anchor> {
  const leaf = describe(root);
  return chainOf({ leaf, ...findPath([leaf], anchors, now, accept) });
}

/**
 * The key ids (base64url) of the authorities in an `x5c` header of our own, which needs no anchor: a chain as above that
 * begins with this key, as far as it goes. Throws `Refusal`.
 */
export function authoritiesInOwnChain(x5c: JsonValue, key: PublicJwk, now: Date): readonly string[] {
  const path = readChain(x5c);
  const [leaf] = path;
  demand(leaf !== undefined && equalJwks(keyOfCertificate(leaf.x509), key), 'the certificate is that of another key');
  checkPath(path, now);
  return keyIdsOf(path);
}

function keyIdsOf(path: readonly Certificate[]): readonly string[] {
  const ids = path.flatMap(({ extensions: { authorityKeyId, subjectKeyId } }, index) => [
    ...(authorityKeyId === undefined ? [] : [authorityKeyId]),
    // What it issues is to name it so; the key of the leaf is no authority.
    ...(index === 0 || subjectKeyId === undefined ? [] : [subjectKeyId]),
  ]);
  return [...new Set(ids)];
}

function readChain(x5c: JsonValue): readonly Certificate[] {
  demand(Array.isArray(x5c) && x5c.length >= 1, 'x5c is not a list of certificates');
  demand(x5c.length <= MAX_CERTIFICATES, 'x5c has too many certificates');
  return x5c.map(readCertificate);
}

/**
 * Several anchors may have signed a certificate: the old and the new one of an authority, or one for several uses. Above it
 * the chain may go on to another root, which has certified the anchor, too.
 */
function findPath<Anchor extends ChainAnchor>(
  chain: readonly Certificate[],
  anchors: readonly Anchor[],
  now: Date,
  accept: (anchor: Anchor) => void,
): Pick<VerifiedChain<Anchor>, 'anchor' | 'path'> {
  const ends = chain.flatMap(({ x509 }, index) =>
    anchors
      .filter(({ certificate }) => isIssuedBy(x509, certificate))
      .map((anchor) => ({ anchor, path: [...chain.slice(0, index + 1), describe(anchor.certificate)] })),
  );
  let refusal = new Refusal('the certificate chain leads to no trust anchor');
  let isFirst = true;
  for (const { anchor, path } of ends) {
    try {
      checkPath(path, now);
      accept(anchor);
      return { anchor, path };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (isFirst) refusal = error;
      isFirst = false;
    }
  }
  throw refusal;
}

function checkPath(path: readonly Certificate[], now: Date): void {
  for (const [index, certificate] of path.entries()) {
    checkValidity(certificate.x509, now);
    demand(!certificate.extensions.unknownCritical, 'a certificate has a critical extension that is not understood');
    const above = path[index + 1];
    demand(!certificate.extensions.constrainsNames, 'a certificate constrains names, which is not supported');
    demand(
      above === undefined || isIssuedBy(certificate.x509, above.x509),
      'a certificate is not issued by the next one',
    );
    if (index > 0) checkAuthority(certificate.extensions, index - 1);
  }
}

/**
 * The name an `x5c` header gives an issuer that has no `iss` (SD-JWT VC §2.2.2.1): the first URI of its certificate,
 * else the first DNS name as https URL. Nothing is verified. Throws `Refusal`.
 */
export function nameOfLeaf(x5c: JsonValue): string {
  demand(Array.isArray(x5c) && x5c[0] !== undefined, 'x5c is not a list of certificates');
  const { uris, dnsNames } = readCertificate(x5c[0]).extensions;
  const name = uris[0] ?? (dnsNames[0] && `https://${dnsNames[0]}`);
  demand(name !== undefined, 'the certificate of the issuer has no name');
  return name;
}

function readCertificate(encoded: JsonValue): Certificate {
  demand(typeof encoded === 'string' && /^[A-Za-z0-9+/]+={0,2}$/.test(encoded), 'a certificate is not base64');
  return describe(parse(Buffer.from(encoded, 'base64')));
}

function parse(der: Buffer): X509Certificate {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(der);
  } catch {
    throw new Refusal('a certificate is malformed');
  }
  // PEM, or bytes after the certificate, would be a second reading of the same header.
  demand(certificate.raw.equals(der), 'a certificate is malformed');
  return certificate;
}

function describe(x509: X509Certificate): Certificate {
  const extensions = readX509Extensions(x509.raw);
  demand(extensions !== undefined, 'a certificate has malformed extensions');
  return { x509, extensions };
}

function checkValidity({ validFrom, validTo }: X509Certificate, now: Date): void {
  const isValid = Date.parse(validFrom) <= now.getTime() && now.getTime() <= Date.parse(validTo);
  demand(isValid, 'a certificate has expired or is not valid yet');
}

/** RFC 5280 §4.2.1.9. */
function checkAuthority({ isAuthority, pathLength }: X509Extensions, authoritiesBelow: number): void {
  demand(isAuthority, 'a certificate is issued by one that is not an authority');
  demand(pathLength === undefined || authoritiesBelow <= pathLength, 'the certificate chain is longer than allowed');
}

/** Throws `Refusal`. */
export function keyOfCertificate(certificate: X509Certificate): PublicJwk {
  const key = publicJwkOf(certificate);
  demand(key !== undefined, 'the key of the issuer certificate is not a P-256, P-384 or Ed25519 key');
  return key;
}
