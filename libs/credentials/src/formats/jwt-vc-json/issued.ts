import { decodeJws } from '@app/primitives/jose';
import { isJsonObject } from '@app/primitives/json';
import { checkSignatureLength, type IssuedCredential, issuedCredential } from '../../presentation/issued-credential';
import { demand } from '../../presentation-check';

// VCDM 1.1 §6.3.1 wants `JWT`; the others are what issuers of later drafts write. What says to be another kind of JWT is
// none (RFC 8725 §3.11).
const w3cTypes: readonly string[] = ['jwt', 'vc+jwt', 'vc+ld+jwt', 'vc+ld+json+jwt'];

/** A JWT with a `vc` object. Throws `Refusal` or `JwsError`. */
export function readIssuedJwtVc(text: string): IssuedCredential {
  const jws = decodeJws(text);
  const { typ } = jws.header;
  const type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : undefined;
  demand(typ === undefined || (type !== undefined && w3cTypes.includes(type)), 'the typ of a W3C credential is JWT');
  const { vc, iss, sub } = jws.payload;
  demand(isJsonObject(vc), 'a W3C credential as JWT has a vc object');
  checkSignatureLength(jws);
  const issuer = iss ?? (isJsonObject(vc['issuer']) ? vc['issuer']['id'] : vc['issuer']);
  const [described, another] = [vc['credentialSubject']].flat();
  const subject = sub ?? (isJsonObject(described) && another === undefined ? described['id'] : undefined);
  return issuedCredential('jwt_vc_json', jws, { issuer, subject });
}
