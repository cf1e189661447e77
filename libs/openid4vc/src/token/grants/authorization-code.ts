import { assertVisibleAscii } from '../../wire/form-parameters';
import { OAuthError } from '../../wire/oauth-error';

/** RFC 6749 §4.1.3. */
export const AUTHORIZATION_CODE_GRANT = 'authorization_code';

/** What a token request of this grant brings (RFC 6749 §4.1.3, RFC 7636 §4.5). */
export interface AuthorizationCodeRequest {
  readonly grant: 'authorization_code';
  readonly code: string;
  readonly redirectUri?: string;
  readonly codeVerifier?: string;
}

/** Throws `OAuthError` invalid_request. @param values the form of a token request */
export function readAuthorizationCode(values: ReadonlyMap<string, string>): AuthorizationCodeRequest {
  const code = values.get('code');
  if (code === undefined) {
    throw new OAuthError('invalid_request', 'code is missing.', { reason: 'code-missing' });
  }
  assertVisibleAscii('code', code);
  const redirectUri = values.get('redirect_uri');
  const codeVerifier = values.get('code_verifier');
  return {
    grant: 'authorization_code',
    code,
    ...(redirectUri !== undefined && { redirectUri }),
    ...(codeVerifier !== undefined && { codeVerifier }),
  };
}
