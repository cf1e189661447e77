import type { KeyPair } from '@app/keys';
import { walletUrls } from '@app/openid4vc';
import { createPublicKey } from 'node:crypto';
import type { CertificateUse } from './certificate-use';
import type { Certification } from './certified-signer';

/** What a certificate has to name of this service. */
export interface OwnNames {
  /** Host of the public URL: of response URIs and of the credential issuer identifier. */
  readonly host: string;
  /** The credential issuer identifier. */
  readonly issuer: string;
}

export function ownNames(applicationUrl: string): OwnNames {
  return { host: new URL(applicationUrl).hostname, issuer: walletUrls(applicationUrl).issuer };
}

/**
 * Whether the names of a leaf are those of this service: for requests the host (OpenID4VP 1.0 §5.9.3, `x509_san_dns`),
 * for credentials the issuer or its host (SD-JWT VC §2.5). Documents name no host, and an access certificate for metadata
 * names the party alone.
 */
export function covers(use: CertificateUse, { dnsNames, uris }: Certification, { host, issuer }: OwnNames): boolean {
  if (use === 'documents' || use === 'metadata') return true;
  return dnsNames.includes(host) || (use === 'credentials' && uris.includes(issuer));
}

/** The public half of a key as certificates have it: DER of a SubjectPublicKeyInfo. */
export function spkiOf({ publicJwk }: Pick<KeyPair, 'publicJwk'>): Buffer {
  return createPublicKey({ key: { ...publicJwk }, format: 'jwk' }).export({ type: 'spki', format: 'der' });
}
