import { OutboundError } from '@app/outbound';
import type { ResponseBodyError } from 'openid-client';
import { LoginFailure, type LoginFault } from './login-failure';
import type { OpenIdClient } from './provider-client';
import { errorCodeOf, wordsOf } from './provider-words';

/** Of the provider, wherever it says them (RFC 6749 §4.1.2.1 and §5.2, RFC 9449 §5 and §8). */
const faultOfError: Readonly<Record<string, LoginFault>> = {
  invalid_client: 'login-client-refused',
  unauthorized_client: 'login-client-refused',
  invalid_dpop_proof: 'login-binding-refused',
  use_dpop_nonce: 'login-binding-refused',
  invalid_grant: 'login-code-refused',
  server_error: 'login-unavailable',
  temporarily_unavailable: 'login-unavailable',
};

/** What the browser can bring back (RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6) that is no decision about the person. */
const requestErrors = ['invalid_request', 'invalid_scope', 'unsupported_response_type', 'invalid_request_object'];
const weakErrors = ['unmet_authentication_requirements'];

/** Codes of the library: what came could be read, and says something else than this login. */
const otherLogin = [
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_INVALID_RESPONSE',
];

/** @param secrets that must not be told, wherever the provider repeats them */
export function failureOf(client: OpenIdClient, error: unknown, secrets: readonly string[]): LoginFailure {
  // Of a request that the library sent, wrapped by it.
  const known = causesOf(error).find((cause) => cause instanceof LoginFailure);
  if (known) return known;
  const options = { cause: error };
  const outbound = causesOf(error).find((cause) => cause instanceof OutboundError);
  if (outbound) return new LoginFailure('login-unavailable', { error: outbound.reason }, options);
  const said = (code: unknown, description: unknown, status?: number) => ({
    status,
    error: errorCodeOf(code, secrets),
    words: wordsOf(description, secrets),
  });
  if (error instanceof client.AuthorizationResponseError) {
    const detail = said(error.error, error.error_description);
    return new LoginFailure(faultOfAnswer(error.error), detail, options);
  }
  if (error instanceof client.ResponseBodyError) {
    const detail = said(error.error, error.error_description, error.status);
    return new LoginFailure(faultOfRefusal(error), detail, options);
  }
  if (error instanceof client.WWWAuthenticateChallengeError) {
    const parameters = error.cause[0]?.parameters;
    const detail = said(parameters?.error, parameters?.['error_description'], error.status);
    return new LoginFailure('login-userinfo-refused', detail, options);
  }
  const { code, status } = codeOf(error);
  // The library names what is wrong, without quoting it.
  const words = wordsOf(causesOf(error).at(-1)?.message, secrets);
  const fault = otherLogin.includes(code) ? 'login-not-accepted' : 'login-answer-unreadable';
  return new LoginFailure(fault, { status, words }, options);
}

/** Some providers call everything `invalid_request`. */
function faultOfRefusal({ error, status, error_description: words = '' }: ResponseBodyError): LoginFault {
  const fault = faultOfError[error];
  if (fault) return fault;
  if (/dpop/i.test(words)) return 'login-binding-refused';
  // RFC 6749 §5.2: for clients alone.
  return status === 401 ? 'login-client-refused' : 'login-request-refused';
}

/** @param error as the browser brings it back */
export function faultOfAnswer(error: string): LoginFault {
  if (requestErrors.includes(error)) return 'login-request-refused';
  if (weakErrors.includes(error)) return 'login-too-weak';
  return faultOfError[error] ?? 'login-cancelled';
}

function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) causes.push(cause);
  return causes;
}

/** @returns the code of the library's error, and the status of the answer that it is about */
function codeOf(error: unknown): { readonly code: string; readonly status?: number | undefined } {
  if (!(error instanceof Error)) return { code: '' };
  const { code } = error as { readonly code?: unknown };
  const status = error.cause instanceof Response ? error.cause.status : undefined;
  return { code: typeof code === 'string' ? code : '', status };
}
