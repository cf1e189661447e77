import { X509Certificate } from 'node:crypto';
import { isAuthority } from './trust-anchor';
import { TrustFault } from './trust-fault';

const block = /-----BEGIN ([A-Z0-9 ]+)-----[^-]*-----END \1-----/g;

/** Reads the certificates of a PEM file. Throws `TrustFault`. */
export function readPem(text: string): readonly X509Certificate[] {
  const blocks = [...text.matchAll(block)];
  if (blocks.some(([, label]) => label?.includes('PRIVATE KEY'))) {
    throw new TrustFault('a private key', 'remove it: an anchor is a certificate only');
  }
  const certificates = blocks.filter(([, label]) => label === 'CERTIFICATE').map(([pem]) => parse(pem));
  if (certificates.length > 0) return certificates;
  throw new TrustFault('no certificate', 'write PEM in it, with -----BEGIN CERTIFICATE-----');
}

/** Reads the certificates of authorities. Throws `TrustFault`. */
export function readAuthorities(text: string): readonly X509Certificate[] {
  const certificates = readPem(text);
  if (certificates.every(isAuthority)) return certificates;
  throw new TrustFault(
    'a certificate that is not an authority (basicConstraints CA)',
    'give the root or the intermediate that issues the others',
  );
}

function parse(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new TrustFault('a malformed certificate', 'export it again as PEM');
  }
}
