import { type JsonObject, StrictJsonError } from '@app/primitives/json';
import { checkSignatureLength, type IssuedCredential, issuedCredential } from '../../presentation/issued-credential';
import { demand } from '../../presentation-check';
import { type ParsedSdJwt, parseSdJwt, processDisclosures } from './sd-jwt';

/**
 * An SD-JWT VC with all its disclosures and without key binding (RFC 9901 §4); each disclosure is where a digest names
 * it. Throws `Refusal`, `JwsError` or `StrictJsonError`.
 */
export function readIssuedSdJwtVc(text: string): IssuedCredential {
  const sdJwt = parseSdJwt(text);
  const { jws, keyBinding } = sdJwt;
  const typ = jws.header['typ'];
  demand(typ === 'dc+sd-jwt' || typ === 'vc+sd-jwt', 'the typ of an SD-JWT VC is dc+sd-jwt');
  demand(keyBinding === undefined, 'an SD-JWT VC ends with a tilde when it is issued');
  const { vct, iss: issuer } = jws.payload;
  demand(typeof vct === 'string' && vct !== '', 'an SD-JWT VC has a vct claim');
  checkSignatureLength(jws);
  const { sub: subject } = disclosedClaims(sdJwt);
  return issuedCredential('dc+sd-jwt', jws, { issuer, subject });
}

function disclosedClaims(sdJwt: ParsedSdJwt): JsonObject {
  try {
    return processDisclosures(sdJwt).claims;
  } catch (error) {
    demand(!(error instanceof StrictJsonError), 'a disclosure is not JSON');
    throw error;
  }
}
