import { subjectOf } from '@app/credentials';
import { X509Certificate } from 'node:crypto';
import { isAuthority } from './trust-anchor';
import { TrustFault } from './trust-fault';

const block = /-----BEGIN ([A-Z0-9 ]+)-----[^-]*-----END \1-----/g;

/** Reads the certificates of a PEM file. Throws `TrustFault`. */
export function readPem(text: string): readonly X509Certificate[] {
  return read(text).map(({ certificate }) => certificate);
}

/** Reads the certificates of authorities. Throws `TrustFault`. */
export function readAuthorities(text: string): readonly X509Certificate[] {
  const certificates = read(text);
  const other = certificates.find(({ certificate }) => !isAuthority(certificate));
  if (!other) return certificates.map(({ certificate }) => certificate);
  throw new TrustFault(
    `a certificate that is not an authority (basicConstraints CA): ${subjectOf(other.certificate)} (line ${other.line})`,
    'give the root or the intermediate that issues the others',
  );
}

interface ReadCertificate {
  readonly certificate: X509Certificate;
  /** Where it begins in its file. */
  readonly line: number;
}

function read(text: string): readonly ReadCertificate[] {
  const blocks = [...text.matchAll(block)].map((match) => ({
    pem: match[0],
    label: match[1] ?? '',
    line: text.slice(0, match.index).split('\n').length,
  }));
  const key = blocks.find(({ label }) => label.includes('PRIVATE KEY'));
  if (key) throw new TrustFault(`a private key (line ${key.line})`, 'remove it: an anchor is a certificate only');
  const certificates = blocks
    .filter(({ label }) => label === 'CERTIFICATE')
    .map(({ pem, line }) => ({ certificate: parse(pem, line), line }));
  if (certificates.length > 0) return certificates;
  throw new TrustFault('no certificate', 'write PEM in it, with -----BEGIN CERTIFICATE-----');
}

function parse(pem: string, line: number): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new TrustFault(`a malformed certificate (line ${line})`, 'export it again as PEM');
  }
}
