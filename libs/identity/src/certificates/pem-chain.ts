import { X509Certificate } from 'node:crypto';

const block = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of a PEM text in their order; text around them is ignored. Throws when one cannot be read. */
export function certificatesOf(pem: string): X509Certificate[] {
  return (pem.match(block) ?? []).map((each) => new X509Certificate(each));
}

export function pemOf(chain: readonly X509Certificate[]): string {
  return chain.map((certificate) => certificate.toString()).join('');
}
