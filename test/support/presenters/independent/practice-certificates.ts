import { certify, signBy, x5c, type Authority, type CertificateOptions } from '@app/credentials/fixtures/certificates';
import type { JsonObject } from '@app/primitives/json';
import { createHash, type X509Certificate } from 'node:crypto';

export const certificateMisdeeds = [
  'foreign-root',
  'sends-root',
  'self-signed',
  'certificate-expired',
  'no-authority',
  'broken-chain',
  'other-certificate',
  'forged-signature',
] as const;
/** What a practice verifier can do wrong with its certificates. */
export type CertificateMisdeed = (typeof certificateMisdeeds)[number];

export type CertificatePrefix = 'x509_hash' | 'x509_san_dns';

/** A signer that is named by its certificate. */
export interface CertifiedSigner {
  readonly clientId: string;
  /** Signs with the chain in the header. */
  readonly sign: (header: JsonObject, payload: JsonObject) => string;
}

export interface PracticeAuthority {
  readonly root: X509Certificate;
  signer(prefix: CertificatePrefix, misdeed?: CertificateMisdeed): CertifiedSigner;
}

const hour = 3_600_000;
const ago = (hours: number): Date => new Date(Date.now() - hours * hour);

/** A root, an authority below it, and the certificates of a verifier on loopback. */
export function practiceAuthority(): PracticeAuthority {
  const issue = (name: string, issuer?: Authority, more: Partial<CertificateOptions> = {}): Authority =>
    certify({ name, ...(issuer ? { issuer } : {}), notBefore: ago(2), notAfter: ago(-2), ...more });
  const authority = { isAuthority: true };
  const names = { dnsNames: ['127.0.0.1'] };
  const root = issue('Practice root', undefined, authority);
  const foreign = issue('Foreign root', undefined, authority);
  const middle = issue('Practice authority', root, authority);
  const honest = issue('Practice verifier', middle, names);
  const other = issue('Another verifier', root, names);
  const chains: Record<CertificateMisdeed | 'none', readonly [Authority, ...Authority[]]> = {
    none: [honest, middle],
    'foreign-root': [issue('Practice verifier', foreign, names)],
    'sends-root': [honest, middle, root],
    'self-signed': [issue('Practice verifier', undefined, names)],
    'certificate-expired': [issue('Practice verifier', middle, { ...names, notAfter: ago(1) }), middle],
    'no-authority': [issue('Practice verifier', other, names), other],
    'broken-chain': [issue('Practice verifier', foreign, names), middle],
    'other-certificate': [issue('Practice verifier', middle, { dnsNames: ['other.example'] }), middle],
    'forged-signature': [honest, middle],
  };
  return {
    root: root.certificate,
    signer(prefix, misdeed) {
      const chain = chains[misdeed ?? 'none'];
      // The one misdeed of the name: it is that of the honest certificate.
      const [named] = misdeed === 'other-certificate' ? [honest] : chain;
      const signer = misdeed === 'forged-signature' ? other : chain[0];
      const hash = createHash('sha256').update(named.certificate.raw).digest('base64url');
      return {
        clientId: prefix === 'x509_hash' ? `x509_hash:${hash}` : 'x509_san_dns:127.0.0.1',
        sign: (header, payload) => signBy(signer)({ ...header, x5c: x5c(...chain) }, payload),
      };
    },
  };
}
