import { additionalDataOf, DecryptionKey, type Sealer } from '@app/keys';
import { type EncryptedResponse, OAuthError, type RefusalReason, RESPONSE_ENCRYPTION } from '@app/openid4vc';
import { randomUUID } from 'node:crypto';
import { streamOfRequest } from '../request/authorization-request';
import type { RequestTerms } from '../request/request-terms';
import { closedRequest } from '../request/closed-request';

/** A fresh P-256 key that wallets encrypt their answer to; the private half leaves this function sealed only. */
export function newEncryptionKey(
  sealer: Sealer,
  dataKey: Buffer,
  requestId: string,
): Required<Pick<RequestTerms, 'encryptionKey' | 'sealedDecryptionKey'>> {
  const { key, privateJwk } = DecryptionKey.generate();
  return {
    encryptionKey: { kid: randomUUID(), jwk: key.publicJwk },
    sealedDecryptionKey: sealer.seal(dataKey, privateJwk, placeOf(requestId)),
  };
}

/**
 * The plaintext of an encrypted response whose header was checked when it was parsed.
 * @param wrappedKey the data key of the request, as stored
 * @throws OAuthError `invalid_request` when it was not encrypted to the key of this request, or the request was erased
 */
export async function decryptResponse(
  { jwe, keyId }: EncryptedResponse,
  request: RequestTerms,
  sealer: Sealer,
  wrappedKey: Buffer,
): Promise<string> {
  const { encryptionKey, sealedDecryptionKey } = request;
  if (!encryptionKey || sealedDecryptionKey === undefined) throw new Error('a request without a decryption key');
  if (keyId !== undefined && keyId !== encryptionKey.kid)
    throw refused('jwe-other-key', 'The response is encrypted to another key.');
  const dataKey = await sealer.unwrap(wrappedKey, streamOfRequest(request.state));
  if (!dataKey) throw closedRequest();
  const opened = sealer.open(dataKey, sealedDecryptionKey, placeOf(request.state)).toString('utf8');
  dataKey.fill(0);
  const key = DecryptionKey.fromPrivateJwk(opened);
  const plaintext = await key.decrypt(jwe, { contentEncryption: RESPONSE_ENCRYPTION.final });
  if (plaintext === undefined)
    throw refused('jwe-not-decrypted', 'The response cannot be decrypted with the key of this request.');
  return plaintext;
}

function placeOf(requestId: string): string {
  return additionalDataOf({ streamId: streamOfRequest(requestId), event: 'AuthorizationRequested' });
}

function refused(reason: RefusalReason, description: string): OAuthError {
  return new OAuthError('invalid_request', description, { reason });
}
