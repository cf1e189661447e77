import { readJweHeader } from '../wire/jwe-header';
import { OAuthError } from '../wire/oauth-error';
import { type RefusalReason } from '../wire/refusal-reason';
import { hasPrivateMembers, isKeyId, readCurveKey, type WireCurveKey } from '../wire/wire-curve-key';
import { isWireObject, member, type WireObject } from '../wire/wire-object';

/** By what credential requests and responses are encrypted (OpenID4VCI 1.0 §10), and may be compressed before. */
export const CREDENTIAL_ENCRYPTION = {
  algorithm: 'ECDH-ES',
  // HAIP 1.0 §5 names both for verifiers; wallets have what they need there.
  contentEncryption: ['A128GCM', 'A256GCM'],
  compression: 'DEF',
} as const;

/** To what key, and how, a wallet wants the response encrypted. */
export interface ResponseEncryption {
  /** Whether the point lies on its curve is not known yet. */
  readonly jwk: WireCurveKey;
  readonly kid?: string;
  readonly enc: string;
  readonly zip?: 'DEF';
}

/** How a request came, and what the issuer demands. */
export interface EncryptionRules {
  readonly isRequestEncrypted: boolean;
  /** Whether the issuer sends no credential in clear. */
  readonly isRequired: boolean;
  /** Drafts 13 to 15 know no encrypted requests, and have `alg` beside the key. */
  readonly isEarlier: boolean;
}

/** The key of ours that wallets encrypt requests to. */
export interface RequestEncryptionKey {
  readonly kid: string;
  readonly publicJwk: { readonly kty: string; readonly crv: string; readonly x: string; readonly y?: string };
}

/**
 * Checks the header of an encrypted credential request before anything is decrypted.
 * @returns the `kid` of the key it is encrypted to
 * @throws OAuthError `invalid_encryption_parameters`, and `invalid_credential_request` for what is no JWE
 */
export function checkEncryptedRequest(jwe: string): string {
  const read = readJweHeader(jwe, 'The request');
  if ('fault' in read) {
    const description = `${read.fault} What is sent as application/jwt is encrypted; send plain JSON as application/json.`;
    throw new OAuthError('invalid_credential_request', description, { reason: 'jwe-malformed' });
  }
  const { header } = read;
  if (member(header, 'alg') !== CREDENTIAL_ENCRYPTION.algorithm) {
    throw invalid('jwe-not-as-asked', `The request must be encrypted with ${CREDENTIAL_ENCRYPTION.algorithm}.`);
  }
  requireEnc(member(header, 'enc'), 'jwe-not-as-asked', 'of the request');
  const zip = member(header, 'zip');
  if (zip !== undefined && zip !== CREDENTIAL_ENCRYPTION.compression) {
    throw invalid(
      'jwe-not-as-asked',
      `The zip of the request must be ${CREDENTIAL_ENCRYPTION.compression}, or be left out.`,
    );
  }
  const keyId = member(header, 'kid');
  if (typeof keyId !== 'string') {
    throw invalid('jwe-other-key', 'The header of the request must have the kid of the key in the issuer metadata.');
  }
  return keyId;
}

/** What the wallet is told whose request cannot be decrypted. */
export function undecryptableRequest(reason: 'jwe-other-key' | 'jwe-not-decrypted' | 'jwe-malformed'): OAuthError {
  const descriptions = {
    'jwe-other-key': 'The kid of the request is not that of a key in credential_request_encryption: read it again.',
    'jwe-not-decrypted': 'The request cannot be decrypted with the key that its kid names.',
    'jwe-malformed': 'The request is encrypted twice.',
  };
  return invalid(reason, descriptions[reason]);
}

/**
 * Reads `credential_response_encryption` (OpenID4VCI 1.0 §8.2 and §9.1; draft 13 §7.2).
 * @returns undefined when the response is to be sent in clear
 * @throws OAuthError `invalid_encryption_parameters`
 */
export function readResponseEncryption(
  body: WireObject,
  { isRequestEncrypted, isRequired, isEarlier }: EncryptionRules,
): ResponseEncryption | undefined {
  const asked = member(body, 'credential_response_encryption');
  if (asked === undefined) {
    if (!isRequired) return undefined;
    const description = 'Credentials are sent encrypted only: add credential_response_encryption with jwk and enc.';
    throw invalid('encryption-missing', description);
  }
  if (!isRequestEncrypted && !isEarlier) {
    const description =
      'A request with credential_response_encryption must be encrypted itself, to the key in credential_request_encryption, and sent as application/jwt.';
    throw invalid('encryption-in-clear', description);
  }
  if (!isWireObject(asked)) {
    throw invalid('encryption-malformed', 'credential_response_encryption must be a JSON object with jwk and enc.');
  }
  const enc = requireEnc(member(asked, 'enc'), 'encryption-not-offered', 'in credential_response_encryption');
  return { ...readRecipient(asked, isEarlier), enc, ...(isEarlier ? {} : readCompression(asked)) };
}

/** Where it is not offered, the response comes without: a wallet may list what it would like. */
function readCompression(asked: WireObject): Pick<ResponseEncryption, 'zip'> {
  const zip = CREDENTIAL_ENCRYPTION.compression;
  return member(asked, 'zip') === zip ? { zip } : {};
}

function readRecipient(asked: WireObject, isEarlier: boolean): Pick<ResponseEncryption, 'jwk' | 'kid'> {
  const jwk = member(asked, 'jwk');
  if (!isWireObject(jwk)) throw unusableKey('must be a JSON object');
  const alg = member(jwk, 'alg') ?? (isEarlier ? member(asked, 'alg') : undefined);
  if (alg !== CREDENTIAL_ENCRYPTION.algorithm) {
    throw invalid(
      'encryption-not-offered',
      `The alg of the jwk in credential_response_encryption must be ${CREDENTIAL_ENCRYPTION.algorithm}.`,
    );
  }
  if (hasPrivateMembers(jwk)) throw unusableKey('must not have private members');
  const key = readCurveKey(jwk);
  if (key?.crv !== 'P-256') throw unusableKey('must be a P-256 key');
  const kid = member(jwk, 'kid');
  if (kid === undefined) return { jwk: key };
  if (!isKeyId(kid)) throw unusableKey('must have a kid of at most 256 characters');
  return { jwk: key, kid };
}

/** For a point that is not on the curve, too. */
export function unusableKey(fault = 'is not a point of P-256'): OAuthError {
  return invalid('encryption-key-unusable', `The jwk of credential_response_encryption ${fault}.`);
}

/** The members of the issuer metadata (OpenID4VCI 1.0 §12.2.4). */
export function renderCredentialEncryption(key: RequestEncryptionKey, isRequired: boolean): object {
  const { algorithm, compression } = CREDENTIAL_ENCRYPTION;
  const { kty, crv, x, y } = key.publicJwk;
  const zip = { zip_values_supported: [compression] };
  const jwk = { kty, crv, x, ...(y !== undefined && { y }), kid: key.kid, use: 'enc', alg: algorithm };
  return {
    credential_request_encryption: { jwks: { keys: [jwk] }, ...offeredIf(isRequired), ...zip },
    credential_response_encryption: { ...responseEncryption(isRequired), ...zip },
  };
}

/** The member that drafts 13 to 15 know as well; they have no compression. */
export function renderResponseEncryption(isRequired: boolean): object {
  return { credential_response_encryption: responseEncryption(isRequired) };
}

function responseEncryption(isRequired: boolean): object {
  return { alg_values_supported: [CREDENTIAL_ENCRYPTION.algorithm], ...offeredIf(isRequired) };
}

function offeredIf(isRequired: boolean): object {
  return { enc_values_supported: CREDENTIAL_ENCRYPTION.contentEncryption, encryption_required: isRequired };
}

function requireEnc(value: unknown, reason: RefusalReason, where: string): string {
  const enc = CREDENTIAL_ENCRYPTION.contentEncryption.find((known) => known === value);
  if (enc !== undefined) return enc;
  const known = CREDENTIAL_ENCRYPTION.contentEncryption.join(' or ');
  throw invalid(reason, `The enc ${where} must be ${known}.`);
}

function invalid(reason: RefusalReason, description: string): OAuthError {
  return new OAuthError('invalid_encryption_parameters', description, { reason });
}
