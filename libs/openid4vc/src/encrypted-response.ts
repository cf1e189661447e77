import { RESPONSE_ENCRYPTION } from './client-metadata';
import { OAuthError, type Quoting } from './oauth-error';
import { type RefusalReason } from './refusal-reason';
import { isWireObject, member } from './wire-object';

/** Compact JWE (RFC 7516 §7.1); with ECDH-ES the second part is empty. */
const COMPACT_JWE = /^([\w-]+)\.[\w-]*\.[\w-]+\.[\w-]*\.[\w-]+$/u;
const LONGEST_HEADER = 4_096;

/**
 * Checks the protected header of an encrypted response before anything is decrypted: only what the request
 * announced is accepted, and no compression.
 * @param encValues the content encryption the request announced.
 * @returns the `kid` of the key it is encrypted to, when the wallet names it.
 * @throws OAuthError invalid_request.
 */
export function checkEncryptedResponse(jwe: string, encValues: readonly string[]): { keyId?: string } {
  const encoded = COMPACT_JWE.exec(jwe)?.[1];
  if (encoded === undefined || encoded.length > LONGEST_HEADER)
    throw invalid('jwe-malformed', 'response must be a compact JWE.');
  const header = readHeader(encoded);
  const enc = member(header, 'enc');
  const keyId = member(header, 'kid');
  if (member(header, 'alg') !== RESPONSE_ENCRYPTION.algorithm) {
    throw invalid(
      'jwe-not-as-asked',
      `The response must be encrypted with the algorithm ${RESPONSE_ENCRYPTION.algorithm}.`,
    );
  }
  if (typeof enc !== 'string' || !encValues.includes(enc)) {
    throw invalid('jwe-not-as-asked', `The content encryption of the response must be one of ${encValues.join(', ')}.`);
  }
  if (member(header, 'zip') !== undefined) throw invalid('jwe-not-as-asked', 'Compressed responses are not accepted.');
  if (keyId !== undefined && typeof keyId !== 'string')
    throw invalid('jwe-malformed', 'The kid of the response must be a string.');
  return keyId === undefined ? {} : { keyId };
}

function readHeader(encoded: string) {
  let header: unknown;
  try {
    header = JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'));
  } catch {
    throw invalid('jwe-malformed', 'The header of the encrypted response is not JSON.');
  }
  if (!isWireObject(header))
    throw invalid('jwe-malformed', 'The header of the encrypted response must be a JSON object.');
  return header;
}

function invalid(reason: RefusalReason, description: string | Quoting): OAuthError {
  return new OAuthError('invalid_request', description, { reason });
}
