import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { JWK } from 'jose';
import { fetchInTime } from './client';
import { WalletFailure } from './failure';

const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * The certificates of all PEM files or http(s) addresses in `places`. A service in the development profile publishes
 * its root at /certificates/development-root.pem.
 */
export async function readRoots(places: readonly string[]): Promise<X509Certificate[]> {
  const roots: X509Certificate[] = [];
  for (const place of places) {
    const found = (await textAt(place)).match(pemCertificate);
    if (!found) throw new WalletFailure(`There is no certificate in PEM at ${place}.`);
    roots.push(...found.map((pem) => new X509Certificate(pem)));
  }
  return roots;
}

async function textAt(place: string): Promise<string> {
  if (!/^https?:\/\//.test(place)) {
    return readFile(place, 'utf8').catch((error: unknown) => {
      throw new WalletFailure(
        `The wallet cannot read the root ${place} (${String((error as { code?: unknown }).code)}).`,
      );
    });
  }
  const response = await fetchInTime(place);
  if (!response.ok) throw new WalletFailure(`${place} answered ${response.status} instead of a root.`);
  return response.text();
}

/**
 * The key of the leaf of `x5c` (base64 DER, leaf first), when one of the roots stands behind the chain. As strict as HAIP 1.0
 * §5: the root is left out of the chain, and the leaf is not self-signed. Whether a certificate was revoked is not looked up.
 */
export function keyOfChain(x5c: readonly string[], roots: readonly X509Certificate[]): JWK {
  const chain = x5c.map(certificateOf);
  const [leaf, top] = [chain[0], chain.at(-1)];
  if (!leaf || !top) throw new WalletFailure('The x5c of the request is empty.');
  if (chain.some((one) => isSignedBy(one, one))) {
    throw new WalletFailure(
      'The x5c of the request has a self-signed certificate: the leaf is none, and the root is left out.',
    );
  }
  const root = roots.find((one) => isSignedBy(top, one));
  if (!root) {
    const trusted =
      roots.length === 0 ? 'no root' : `only ${roots.map(({ subject }) => oneLine(subject)).join(' and ')}`;
    throw new WalletFailure(
      `The request is signed by a certificate of ${oneLine(top.issuer)}; the wallet trusts ${trusted}. Name the root with --root <file or URL>.`,
    );
  }
  const now = new Date();
  for (const [index, certificate] of [...chain, root].entries()) {
    const { validFrom, validTo, subject, ca } = certificate;
    const below = chain[index - 1];
    const fault =
      below && !isSignedBy(below, certificate)
        ? `The certificate of ${oneLine(below.subject)} is not signed by the next one of the x5c.`
        : below && !ca
          ? `The certificate of ${oneLine(subject)} is not one of an authority.`
          : now < new Date(validFrom) || now > new Date(validTo)
            ? `The certificate of ${oneLine(subject)} is valid from ${validFrom} to ${validTo}.`
            : undefined;
    if (fault !== undefined) throw new WalletFailure(fault);
  }
  return leaf.publicKey.export({ format: 'jwk' });
}

/** The names in the certificate's subjectAltName, which the client library compares with a client identifier. */
export function alternativeNames(certificate: string): { sanDnsNames: string[]; sanUriNames: string[] } {
  const names = (certificateOf(certificate).subjectAltName ?? '').split(', ');
  const of = (kind: string) => names.filter((name) => name.startsWith(kind)).map((name) => name.slice(kind.length));
  return { sanDnsNames: of('DNS:'), sanUriNames: of('URI:') };
}

function certificateOf(encoded: string): X509Certificate {
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

/** `CN=Shop, O=Example`. */
function oneLine(name: string): string {
  return name.replaceAll('\n', ', ');
}
