import { parseStrictJson, StrictJsonError } from '@app/primitives/json';
import { OAuthError, type OAuthErrorCode } from '@app/openid4vc';
import type { RawBody } from './raw-body';

/** The parameters of a form body in the order they were sent. Throws `invalid_request`. */
export function formParameters(body: RawBody): URLSearchParams {
  const bytes = bytesOf(body, 'invalid_request');
  if (body.mediaType !== 'application/x-www-form-urlencoded') {
    throw new OAuthError('invalid_request', 'The body must be sent as application/x-www-form-urlencoded.', {
      reason: 'wrong-content-type',
    });
  }
  return new URLSearchParams(bytes.toString('utf8'));
}

/** The JSON value of a wallet's body. @param code the error of the endpoint for a body it cannot read */
export function walletJson(body: RawBody, code: OAuthErrorCode): unknown {
  const bytes = bytesOf(body, code);
  if (body.mediaType !== 'application/json') {
    throw new OAuthError(code, 'The body must be sent as application/json.', {
      status: 415,
      reason: 'wrong-content-type',
    });
  }
  return strictJson(bytes, code);
}

/** The text of a wallet's body that is a JWT, signed or encrypted. @param code the error of the endpoint for a body it cannot read */
export function walletJwt(body: RawBody, code: OAuthErrorCode): string {
  return bytesOf(body, code).toString('latin1');
}

/** The JSON value of what a wallet has sent. Throws `OAuthError` with the code. */
export function strictJson(bytes: Buffer, code: OAuthErrorCode): unknown {
  try {
    return parseStrictJson(bytes);
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    throw new OAuthError(code, `The body is not acceptable JSON: ${error.explanation()}.`, { reason: 'not-json' });
  }
}

export function bodyTooLarge(code: OAuthErrorCode, limit: number): OAuthError {
  return new OAuthError(code, `The body is larger than ${limit} bytes.`, { status: 413, reason: 'body-too-large' });
}

function bytesOf(body: RawBody, code: OAuthErrorCode): Buffer {
  if (!body.bytes) throw bodyTooLarge(code, body.limit);
  if (!body.isEncoded || body.bytes.length === 0) return body.bytes;
  throw new OAuthError(code, 'The body must be sent without Content-Encoding.', {
    status: 415,
    reason: 'content-encoding',
    headers: { 'Accept-Encoding': 'identity' },
  });
}
