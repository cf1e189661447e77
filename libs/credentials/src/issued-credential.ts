import { decodeJws, type DecodedJws } from '@app/jose';
import { isJsonObject, type JsonValue, StrictJsonError } from '@app/json';
import { readTimes } from './jwt-times';
import { demand, refusalReason } from './presentation-check';
import { parseSdJwt, processDisclosures } from './sd-jwt';

/** A credential as its issuer hands it out, read and not verified. */
export type IssuedCredential = {
  readonly format: 'jwt_vc_json' | 'dc+sd-jwt';
  readonly jws: DecodedJws;
  /** DID or URL, when it names one. */
  readonly issuer?: string;
  /** Its `exp`, when it has one. */
  readonly expiresAt?: Date;
};

// RFC 7518 §3, RFC 8812 §3.2, RFC 8037 §3.1, RFC 9864 §2: at least and at most so many bytes. RSA from 2048 bits on.
type Lengths = readonly [least: number, most: number];
const rsa: Lengths = [256, 2048];
const signatureBytes: ReadonlyMap<JsonValue | undefined, Lengths> = new Map<JsonValue | undefined, Lengths>([
  ['ES256', [64, 64]],
  ['ES256K', [64, 64]],
  ['ES384', [96, 96]],
  ['ES512', [132, 132]],
  ['EdDSA', [64, 114]],
  ['Ed25519', [64, 64]],
  ['Ed448', [114, 114]],
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'].map((name) => [name, rsa] as const),
]);

// VCDM 1.1 §6.3.1 wants `JWT`; the others are what issuers of later drafts write. What says to be another kind of JWT is
// none (RFC 8725 §3.11).
const w3cTypes: readonly string[] = ['jwt', 'vc+jwt', 'vc+ld+jwt', 'vc+ld+json+jwt'];

/**
 * Reads a credential as its issuer hands it out: a JWT with a `vc` object, or an SD-JWT VC with all its disclosures and
 * without key binding (RFC 9901 §4). The algorithm is asymmetric, the signature as long as the algorithm makes it, and
 * each disclosure stands where a digest names it. `fault` says what is wrong, in words that hold nothing of the text.
 */
export function readIssuedCredential(text: string): IssuedCredential | { readonly fault: string } {
  try {
    return text.includes('~') ? readSdJwtVc(text) : readJwtVc(text);
  } catch (error) {
    const fault = refusalReason(error);
    if (fault === undefined) throw error;
    return { fault };
  }
}

function readSdJwtVc(text: string): IssuedCredential {
  const sdJwt = parseSdJwt(text);
  const { jws, keyBinding } = sdJwt;
  const typ = jws.header['typ'];
  demand(typ === 'dc+sd-jwt' || typ === 'vc+sd-jwt', 'the typ of an SD-JWT VC is dc+sd-jwt');
  demand(keyBinding === undefined, 'an SD-JWT VC ends with a tilde when it is issued');
  const { vct, iss } = jws.payload;
  demand(typeof vct === 'string' && vct !== '', 'an SD-JWT VC has a vct claim');
  checkSignatureLength(jws);
  checkDisclosures(sdJwt);
  return { format: 'dc+sd-jwt', jws, ...termsOf(iss, readTimes(jws.payload).exp) };
}

function readJwtVc(text: string): IssuedCredential {
  const jws = decodeJws(text);
  const { typ } = jws.header;
  const type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : undefined;
  demand(typ === undefined || (type !== undefined && w3cTypes.includes(type)), 'the typ of a W3C credential is JWT');
  const { vc, iss } = jws.payload;
  demand(isJsonObject(vc), 'a W3C credential as JWT has a vc object');
  checkSignatureLength(jws);
  const issuer = iss ?? (isJsonObject(vc['issuer']) ? vc['issuer']['id'] : vc['issuer']);
  return { format: 'jwt_vc_json', jws, ...termsOf(issuer, readTimes(jws.payload).exp) };
}

function checkSignatureLength({ header, signature }: DecodedJws): void {
  const bytes = signatureBytes.get(header['alg']);
  demand(bytes !== undefined, 'the alg does not name an asymmetric signature, for example ES256 or EdDSA');
  const [least, most] = bytes;
  const fits = signature.length >= least && signature.length <= most;
  demand(fits, 'the signature does not have the length that its algorithm gives it');
}

function checkDisclosures(sdJwt: Parameters<typeof processDisclosures>[0]): void {
  try {
    processDisclosures(sdJwt);
  } catch (error) {
    demand(!(error instanceof StrictJsonError), 'a disclosure is not JSON');
    throw error;
  }
}

function termsOf(
  issuer: JsonValue | undefined,
  exp: number | undefined,
): Pick<IssuedCredential, 'issuer' | 'expiresAt'> {
  return {
    ...(typeof issuer === 'string' && { issuer }),
    ...(exp !== undefined && { expiresAt: new Date(exp * 1000) }),
  };
}
