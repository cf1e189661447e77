import { parseAuthorizationDetails } from '../token/authorization-details';
import { assertVisibleAscii, readParameters } from '../wire/form-parameters';
import { OAuthError, type OAuthErrorCode } from '../wire/oauth-error';
import { faultOfRedirectUri, type RedirectUriPolicy } from './redirect-uri';
import { type RefusalReason } from '../wire/refusal-reason';

/** What a client asks for (RFC 9126 §2.1, OpenID4VCI 1.0 §5.1). */
export interface PushedAuthorizationRequest {
  readonly redirectUri: string;
  /** PKCE with S256 (RFC 7636 §4.3). */
  readonly codeChallenge: string;
  /** Empty without `scope`. */
  readonly scopes: readonly string[];
  /** Of `authorization_details`; absent without them. */
  readonly configurationIds?: readonly string[];
  readonly issuerState?: string;
  /** Returned to the client as it is. */
  readonly state?: string;
  /** RFC 7638 thumbprint of the DPoP key that the code is to be bound to (RFC 9449 §10). */
  readonly dpopThumbprint?: string;
}

export interface PushedRequestPolicy extends RedirectUriPolicy {
  /** The issuer identifier, the only `resource` there is. */
  readonly issuer: string;
}

const LONGEST: Readonly<Record<string, number>> = {
  authorization_details: 16_384,
  // Authentication of the client, read elsewhere.
  client_assertion: 16_384,
};

/**
 * Reads the form of a pushed authorization request, in the order it was sent. `client_id` and how the client shows who it is are
 * left to the caller. Unknown parameters are ignored.
 * @throws OAuthError invalid_request, unsupported_response_type, invalid_scope, invalid_authorization_details, invalid_target
 */
export function parsePushedAuthorizationRequest(
  parameters: Iterable<readonly [string, string]>,
  rules: PushedRequestPolicy,
): PushedAuthorizationRequest {
  const values = readParameters(parameters, LONGEST);
  for (const name of ['request_uri', 'request'] as const) {
    // RFC 9126 §2.1, and request objects are not supported.
    if (values.has(name)) throw invalid('parameter-not-allowed', `Send the parameters themselves, without ${name}.`);
  }
  assertVisibleAscii('client_id', values.get('client_id') ?? '');
  assertResponseType(values.get('response_type'));
  const redirectUri = values.get('redirect_uri');
  if (redirectUri === undefined) throw invalid('redirect-uri-missing', 'redirect_uri is missing.');
  const fault = faultOfRedirectUri(redirectUri, rules);
  if (fault !== undefined) throw invalid('redirect-uri-not-allowed', fault);
  const codeChallenge = readCodeChallenge(values);
  const resource = values.get('resource');
  if (resource !== undefined && resource !== rules.issuer) {
    throw refusal('invalid_target', 'resource-unknown', `The only resource here is ${rules.issuer}.`);
  }
  const details = values.get('authorization_details');
  const scopes =
    values
      .get('scope')
      ?.split(' ')
      .filter((scope) => scope !== '') ?? [];
  if (details === undefined && scopes.length === 0) {
    throw refusal('invalid_scope', 'scope-missing', 'Name what is asked for: send scope or authorization_details.');
  }
  const issuerState = values.get('issuer_state');
  const state = values.get('state');
  const dpopThumbprint = readThumbprint(values.get('dpop_jkt'));
  return {
    redirectUri,
    codeChallenge,
    scopes: [...new Set(scopes)],
    ...(details !== undefined && { configurationIds: parseAuthorizationDetails(details) }),
    ...(issuerState !== undefined && { issuerState }),
    ...(state !== undefined && { state }),
    ...(dpopThumbprint !== undefined && { dpopThumbprint }),
  };
}

function assertResponseType(responseType: string | undefined): void {
  if (responseType === undefined) throw invalid('response-type-missing', "response_type is missing: send 'code'.");
  if (responseType === 'code') return;
  throw refusal('unsupported_response_type', 'unsupported_response_type', "The only response_type here is 'code'.");
}

function readCodeChallenge(values: ReadonlyMap<string, string>): string {
  const challenge = values.get('code_challenge');
  if (challenge === undefined) throw invalid('code-challenge-missing', 'code_challenge is missing (RFC 7636).');
  // Without a method it would be `plain` (RFC 7636 §4.3).
  if (values.get('code_challenge_method') !== 'S256') {
    throw invalid('code-challenge-method', "code_challenge_method must be 'S256'.");
  }
  if (!/^[\w-]{43}$/u.test(challenge)) {
    throw invalid(
      'code-challenge-malformed',
      'code_challenge must be the base64url SHA-256 of the code_verifier: 43 characters without padding.',
    );
  }
  return challenge;
}

function readThumbprint(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  assertVisibleAscii('dpop_jkt', text);
  if (!/^[\w-]{43}$/u.test(text)) {
    throw invalid('thumbprint-malformed', 'dpop_jkt must be a base64url SHA-256 thumbprint: 43 characters.');
  }
  return text;
}

function invalid(reason: RefusalReason, description: string): OAuthError {
  return refusal('invalid_request', reason, description);
}

function refusal(code: OAuthErrorCode, reason: RefusalReason | OAuthErrorCode, description: string): OAuthError {
  return new OAuthError(code, description, { reason });
}
