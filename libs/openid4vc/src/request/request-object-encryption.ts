import { OAuthError } from '../wire/oauth-error';
import { type RefusalReason } from '../wire/refusal-reason';
import { hasPrivateMembers, isKeyId, readCurveKey, type WireCurveKey } from '../wire/wire-curve-key';
import { isWireObject, member, type WireObject } from '../wire/wire-object';

/** To what key, and how, a wallet wants request objects encrypted. */
export interface RequestObjectEncryption {
  readonly jwk: WireCurveKey;
  readonly kid?: string;
  readonly alg: string;
  readonly enc: string;
}

const algorithms = ['ECDH-ES', 'ECDH-ES+A128KW', 'ECDH-ES+A192KW', 'ECDH-ES+A256KW'];
/** The first one is for wallets that name none. */
const contentEncryption = ['A128GCM', 'A192GCM', 'A256GCM', 'A128CBC-HS256', 'A192CBC-HS384', 'A256CBC-HS512'];
const mostKeys = 100;

/**
 * Reads from wallet metadata whether request objects are to be encrypted (OpenID4VP 1.0 §5.10): the wallet then sends `jwks`
 * with a key for it. The first key that can be used counts.
 * @param supported the values of `request_object_encryption_alg_values_supported` and `..._enc_values_supported`
 * @returns undefined when no such key is there, and none of the algorithms, or no `jwks`
 * @throws OAuthError invalid_request
 */
export function readRequestObjectEncryption(
  metadata: WireObject,
  supported: { readonly alg: readonly string[] | undefined; readonly enc: readonly string[] | undefined },
): RequestObjectEncryption | undefined {
  const keys = readKeys(member(metadata, 'jwks'));
  const candidates = keys?.filter(isForEncryption) ?? [];
  if (keys === undefined || (candidates.length === 0 && supported.alg === undefined)) return undefined;
  const alg = (supported.alg ?? algorithms).filter((name) => algorithms.includes(name));
  if (alg.length === 0) throw notOffered('request_object_encryption_alg_values_supported', algorithms);
  const enc = (supported.enc ?? contentEncryption).find((name) => contentEncryption.includes(name));
  if (enc === undefined) throw notOffered('request_object_encryption_enc_values_supported', contentEncryption);
  for (const key of candidates) {
    const recipient = recipientOf(key, alg);
    if (recipient) return { ...recipient, enc };
  }
  throw invalid(
    'encryption-not-offered',
    `jwks has no key that the request object can be encrypted to: send one of kty EC on P-256 or P-384, with use enc and, ` +
      `if it has an alg, one of ${alg.join(', ')}.`,
  );
}

/** What the wallet is told whose key is no point of its curve. */
export function unusableRequestObjectKey(): OAuthError {
  return invalid('encryption-key-unusable', 'The key for encryption in jwks is not a point of its curve.');
}

function readKeys(jwks: unknown): readonly WireObject[] | undefined {
  if (jwks === undefined) return undefined;
  const keys = isWireObject(jwks) ? member(jwks, 'keys') : undefined;
  if (!Array.isArray(keys) || keys.length > mostKeys || !keys.every(isWireObject)) {
    const expected = `an object with keys, an array of at most ${mostKeys} JSON Web Keys`;
    throw invalid('wallet-metadata-malformed', `jwks must be a JWK set: ${expected}.`);
  }
  if (keys.some(hasPrivateMembers)) {
    const description = 'jwks must have public keys only: one of them has private members. Make a new key.';
    throw invalid('encryption-key-unusable', description);
  }
  return keys;
}

/** A key that says nothing of its use is for any. */
function isForEncryption(key: WireObject): boolean {
  const [use, operations] = [member(key, 'use'), member(key, 'key_ops')];
  const mayDerive = !Array.isArray(operations) || operations.some((one) => one === 'deriveKey' || one === 'deriveBits');
  return (use === undefined || use === 'enc') && mayDerive;
}

function recipientOf(key: WireObject, supported: readonly string[]): Omit<RequestObjectEncryption, 'enc'> | undefined {
  const jwk = readCurveKey(key);
  const own = member(key, 'alg');
  const alg = supported.find((name) => own === undefined || own === name);
  const kid = member(key, 'kid');
  if (!jwk || alg === undefined || !(kid === undefined || isKeyId(kid))) return undefined;
  return { jwk, alg, ...(kid !== undefined && { kid }) };
}

function notOffered(name: string, known: readonly string[]): OAuthError {
  return invalid('encryption-not-offered', `${name} must have one of ${known.join(', ')}.`);
}

function invalid(reason: RefusalReason, description: string): OAuthError {
  return new OAuthError('invalid_request', description, { reason });
}
