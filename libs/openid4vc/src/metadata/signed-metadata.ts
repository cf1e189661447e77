/** Seconds for which wallets may rely on signed metadata. */
export const SIGNED_METADATA_LIFETIME = 24 * 60 * 60;

export const SIGNED_METADATA_TYPE = 'openidvci-issuer-metadata+jwt';

/** The payload of signed metadata (OpenID4VCI 1.0 §12.2.3). @param now seconds since 1970 */
export function signedMetadataClaims(metadata: object, issuer: string, now: number): Record<string, unknown> {
  return { ...metadata, iss: issuer, sub: issuer, iat: now, exp: now + SIGNED_METADATA_LIFETIME };
}
