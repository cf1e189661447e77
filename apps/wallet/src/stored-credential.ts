import { decodeJwt, type JWTPayload } from 'jose';
import { disclosedClaims, splitSdJwt } from './sd-jwt';
import type { ReceivedCredential } from './wallet-file';

/** The whole signed content as the holder sees it: the JWT claims set, with all disclosures of an SD-JWT put back. */
export function contentOf({ format, credential }: ReceivedCredential): JWTPayload {
  if (format === 'jwt_vc_json') return decodeJwt(credential);
  const { jwt, disclosures } = splitSdJwt(credential);
  return disclosedClaims(decodeJwt(jwt), disclosures);
}

/** The `vc` claim of a jwt_vc_json credential. */
export function vcOf(content: JWTPayload): Record<string, unknown> {
  return (content['vc'] ?? {}) as Record<string, unknown>;
}
