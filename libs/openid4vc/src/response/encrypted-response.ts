import { RESPONSE_ENCRYPTION } from '../request/client-metadata';
import { readJweHeader } from '../wire/jwe-header';
import { OAuthError, type Quoting } from '../wire/oauth-error';
import { type RefusalReason } from '../wire/refusal-reason';
import { member } from '../wire/wire-object';

/**
 * Checks the protected header of an encrypted response before anything is decrypted: only what the request
 * announced is accepted, and no compression.
 * @param encValues the content encryption the request announced.
 * @returns the `kid` of the key it is encrypted to, when the wallet names it.
 * @throws OAuthError invalid_request.
 */
export function checkEncryptedResponse(jwe: string, encValues: readonly string[]): { keyId?: string } {
  const read = readJweHeader(jwe, 'The response');
  if ('fault' in read) throw invalid('jwe-malformed', read.fault);
  const { header } = read;
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

function invalid(reason: RefusalReason, description: string | Quoting): OAuthError {
  return new OAuthError('invalid_request', description, { reason });
}
