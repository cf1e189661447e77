import { X509Certificate } from 'node:crypto';
import { CertificateFault } from './certificate-fault';

const block = /-----BEGIN ([A-Z0-9 ]+)-----[^-]*-----END \1-----/g;

interface PemCertificate {
  readonly certificate: X509Certificate;
  /** Where it begins in the text; 1 is the first. */
  readonly line: number;
}

/**
 * The certificates of a PEM text in their order; text around them is ignored. Throws {@link CertificateFault}.
 * @param keys `ignored` as other text is; `refused` where a certificate has to be, and nothing secret
 */
export function readPem(text: string, keys: 'ignored' | 'refused'): readonly PemCertificate[] {
  const blocks = [...text.matchAll(block)].map((match) => ({
    pem: match[0],
    label: match[1] ?? '',
    line: text.slice(0, match.index).split('\n').length,
  }));
  const key = keys === 'refused' && blocks.find(({ label }) => label.includes('PRIVATE KEY'));
  if (key) throw new CertificateFault(`a private key (line ${key.line})`, 'remove it: an anchor is a certificate only');
  const certificates = blocks
    .filter(({ label }) => label === 'CERTIFICATE')
    .map(({ pem, line }) => ({ certificate: parsed(pem, line), line }));
  if (keys === 'ignored' || certificates.length > 0) return certificates;
  throw new CertificateFault('no certificate', 'write PEM in it, with -----BEGIN CERTIFICATE-----');
}

/** The certificates of a chain of this service. Throws {@link CertificateFault}. */
export function chainIn(pem: string): readonly X509Certificate[] {
  return readPem(pem, 'ignored').map(({ certificate }) => certificate);
}

export function pemOf(chain: readonly X509Certificate[]): string {
  return chain.map((certificate) => certificate.toString()).join('');
}

function parsed(pem: string, line: number): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new CertificateFault(`a malformed certificate (line ${line})`, 'export it again as PEM');
  }
}
