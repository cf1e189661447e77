import { JWS_ALGORITHMS, JwsError, type PublicJwk, verifyJws } from '@app/jose';
import { FetchPostponed } from './fetch-postponed';
import type { IssuedCredential } from './issued-credential';
import type { IssuerKeys } from './issuer-keys';
import { refusalReason } from './presentation-check';

/** The key that an issued credential names, when its issuer publishes it where it can be found. */
export async function findKeyOf(
  { issuer, jws }: IssuedCredential,
  issuers: Pick<IssuerKeys, 'find'>,
  now: Date,
): Promise<PublicJwk | undefined> {
  if (issuer === undefined) return undefined;
  try {
    return (await issuers.find(jws.header, issuer, now)).jwk;
  } catch (error) {
    if (refusalReason(error) === undefined && !(error instanceof FetchPostponed)) throw error;
    return undefined;
  }
}

/** Whether the key made the signature; `not-checked` when the algorithm or the key is none that this software knows. */
export function checkSignature({ jws }: IssuedCredential, key: PublicJwk): 'verified' | 'invalid' | 'not-checked' {
  try {
    verifyJws(jws, key, JWS_ALGORITHMS);
    return 'verified';
  } catch (error) {
    if (!(error instanceof JwsError)) throw error;
    const isUnknown = error.reason === 'unsupported-algorithm' || error.reason === 'invalid-key';
    return isUnknown ? 'not-checked' : 'invalid';
  }
}
