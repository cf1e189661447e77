import { X509Certificate } from 'node:crypto';
import type { JWK } from 'jose';
import { WalletFailure } from './failure';

const longestChain = 5;

/**
 * The key of the leaf of `x5c` (base64 DER, leaf first), when a root that this wallet trusts stands behind the chain.
 * As strict as HAIP 1.0 §5: the root is left out of the chain, and the leaf is not self-signed. Throws a WalletFailure
 * with the reason; whether a certificate was revoked is not looked up.
 */
export function keyOfChain(x5c: readonly string[], roots: readonly X509Certificate[], now: Date): JWK {
  if (x5c.length === 0 || x5c.length > longestChain) {
    throw new WalletFailure(`The x5c of the request has ${x5c.length} certificates; it has 1 to ${longestChain}.`);
  }
  const chain = x5c.map(readCertificate);
  if (chain.some((one) => isSignedBy(one, one))) {
    throw new WalletFailure(
      'The x5c of the request has a self-signed certificate: the leaf is none, and the root is left out.',
    );
  }
  const [leaf, top] = [chain[0], chain.at(-1)] as [X509Certificate, X509Certificate];
  const root = roots.find((one) => isSignedBy(top, one));
  if (!root) throw new WalletFailure(untrusted(top, roots));
  const path = [...chain, root];
  for (const [index, certificate] of path.entries()) {
    const above = path[index + 1];
    if (above && !isSignedBy(certificate, above)) {
      throw new WalletFailure(`The certificate of ${nameOf(certificate)} is not signed by the next one of the x5c.`);
    }
    if (above && !above.ca) {
      throw new WalletFailure(`The certificate of ${nameOf(above)} is not one of an authority.`);
    }
    if (now < new Date(certificate.validFrom) || now > new Date(certificate.validTo)) {
      const { validFrom, validTo } = certificate;
      throw new WalletFailure(`The certificate of ${nameOf(certificate)} is valid from ${validFrom} to ${validTo}.`);
    }
  }
  return leaf.publicKey.export({ format: 'jwk' });
}

/** The names in the certificate's subjectAltName, for the client identifier prefixes that compare them. */
export function alternativeNames(certificate: string): { sanDnsNames: string[]; sanUriNames: string[] } {
  const names = (readCertificate(certificate).subjectAltName ?? '').split(', ');
  const of = (kind: string): string[] =>
    names.filter((name) => name.startsWith(kind)).map((name) => name.slice(kind.length));
  return { sanDnsNames: of('DNS:'), sanUriNames: of('URI:') };
}

/** The person at the keyboard reads who signed, and how to trust them. */
function untrusted(top: X509Certificate, roots: readonly X509Certificate[]): string {
  const trusted = roots.length === 0 ? 'no root' : `only ${roots.map((root) => nameOf(root)).join(' and ')}`;
  return `The request is signed by a certificate of ${nameOf(top, 'issuer')}; the wallet trusts ${trusted}. Name the root with --root <file or URL>.`;
}

function readCertificate(encoded: string): X509Certificate {
  try {
    return new X509Certificate(Buffer.from(encoded, 'base64'));
  } catch {
    throw new WalletFailure('The x5c of the request has something that is not a certificate.');
  }
}

/** `checkIssued` compares names and key identifiers, `verify` the signature. */
function isSignedBy(certificate: X509Certificate, above: X509Certificate): boolean {
  return certificate.checkIssued(above) && certificate.verify(above.publicKey);
}

/** On one line: `CN=Shop, O=Example`. */
function nameOf(certificate: X509Certificate, whose: 'subject' | 'issuer' = 'subject'): string {
  return certificate[whose].replaceAll('\n', ', ');
}
