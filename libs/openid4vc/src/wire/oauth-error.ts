import type { RefusalReason } from './refusal-reason';

/** Every error word a wallet endpoint of this product sends, by the specification that defines it. */
export type OAuthErrorCode =
  // RFC 6749 §4.1.2.1 and §5.2
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'access_denied'
  | 'server_error'
  | 'temporarily_unavailable'
  | 'unsupported_response_type'
  // RFC 8707 §2
  | 'invalid_target'
  // RFC 9449 §5 and §8
  | 'invalid_dpop_proof'
  | 'use_dpop_nonce'
  // OAuth 2.0 Attestation-Based Client Authentication (draft 07) §6.2
  | 'invalid_client_attestation'
  | 'use_fresh_attestation'
  | 'use_attestation_challenge'
  // RFC 7009 §2.2.1
  | 'unsupported_token_type'
  // RFC 6750 §3.1
  | 'invalid_token'
  | 'insufficient_scope'
  // RFC 9396 §5
  | 'invalid_authorization_details'
  // OpenID4VCI credential endpoint, all drafts together; which class hears which word is decided in credential-request.ts
  | 'invalid_credential_request'
  | 'unsupported_credential_type'
  | 'unsupported_credential_format'
  | 'unknown_credential_configuration'
  | 'unknown_credential_identifier'
  | 'invalid_proof'
  | 'invalid_nonce'
  | 'invalid_encryption_parameters'
  | 'credential_request_denied'
  // OpenID4VCI deferred and notification endpoints
  | 'issuance_pending'
  | 'invalid_transaction_id'
  | 'invalid_notification_id'
  | 'invalid_notification_request';

const STATUS: Partial<Record<OAuthErrorCode, number>> = {
  invalid_client: 401,
  invalid_token: 401,
  insufficient_scope: 403,
  server_error: 500,
  temporarily_unavailable: 503,
};

const LONGEST_DESCRIPTION = 400;

/** A text for a wallet that quotes what it sent, with the same text for others, who are not to see that. */
export class Quoting {
  constructor(
    readonly text: string,
    /** With `...` in place of each quotation. */
    readonly withoutQuotations: string,
  ) {}
}

/** A text whose values are all quotations. */
export function quoting(strings: TemplateStringsArray, ...quoted: readonly string[]): Quoting {
  return new Quoting(String.raw({ raw: strings }, ...quoted), strings.join('...'));
}

export interface OAuthErrorOptions {
  /** What was wrong, where the code leaves that open. */
  reason?: RefusalReason | OAuthErrorCode | 'no-token';
  /** HTTP status, when it is not the code's usual one (405, 413, 415, 429). */
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** Further members of the body, such as `c_nonce` or `interval`. */
  extra?: Readonly<Record<string, string | number>>;
  /** The wallet's draft retries on a nonce in the error body: the endpoint answers with `error.withNonce(...)`. */
  nonceWanted?: boolean;
  /** The error that this one reports by a code of the specification. */
  cause?: Error;
}

/**
 * A refusal at a wallet endpoint. `code` is undefined only for the bare bearer challenge of a request without token.
 * `headers` are complete: `Cache-Control`, and `WWW-Authenticate` for bearer errors.
 */
export class OAuthError extends Error {
  readonly code: OAuthErrorCode | undefined;
  readonly description: string;
  /** The description without what the wallet sent: for logs, records and the people who help the wallet's owner. */
  readonly words: string;
  /** A word of the code. */
  readonly reason: RefusalReason | OAuthErrorCode | 'no-token';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly extra: Readonly<Record<string, string | number>>;
  readonly nonceWanted: boolean;

  constructor(code: OAuthErrorCode | undefined, description: string | Quoting, options: OAuthErrorOptions = {}) {
    const { text, withoutQuotations } =
      typeof description === 'string' ? { text: description, withoutQuotations: description } : description;
    const safe = sanitiseDescription(text);
    super(safe, options.cause && { cause: options.cause });
    this.name = 'OAuthError';
    this.code = code;
    this.description = safe;
    this.words = sanitiseDescription(withoutQuotations);
    this.reason = options.reason ?? code ?? 'no-token';
    this.status = options.status ?? (code === undefined ? 401 : (STATUS[code] ?? 400));
    this.headers = { 'Cache-Control': 'no-store', ...challenge(code, safe), ...options.headers };
    this.extra = options.extra ?? {};
    this.nonceWanted = options.nonceWanted ?? false;
  }

  /** RFC 6750 §3.1: a request without any authentication learns the scheme and no error code. */
  static missingToken(): OAuthError {
    return new OAuthError(undefined, 'This endpoint expects an access token in the Authorization header.', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }

  /** The same refusal, of one part of what was sent. */
  of(part: string): OAuthError {
    const { reason, status, headers, extra, nonceWanted } = this;
    const described = new Quoting(`${part}: ${this.description}`, `${part}: ${this.words}`);
    return new OAuthError(this.code, described, { reason, status, headers, extra, nonceWanted, cause: this });
  }

  /** The same refusal with a fresh nonce in its body (OpenID4VCI draft 13 §7.3.2), lifetime in seconds. */
  withNonce(nonce: string, expiresIn: number): OAuthError {
    return new OAuthError(this.code, new Quoting(this.description, this.words), {
      reason: this.reason,
      status: this.status,
      headers: this.headers,
      extra: { ...this.extra, c_nonce: nonce, c_nonce_expires_in: expiresIn },
      cause: this,
    });
  }
}

/** The JSON body of a refusal; undefined means an empty body (the bare bearer challenge). */
export function renderOAuthErrorBody(error: OAuthError): Record<string, string | number> | undefined {
  if (error.code === undefined) return undefined;
  return { error: error.code, error_description: error.description, ...error.extra };
}

/**
 * Keeps an error description inside %x20-21 / %x23-5B / %x5D-7E (RFC 6749 §5.2) whatever a wallet made us quote:
 * quotes become apostrophes, backslashes slashes, everything else outside the range a question mark.
 */
export function sanitiseDescription(text: string): string {
  const safe = text
    .replace(/\s+/gu, ' ')
    .replaceAll('"', "'")
    .replaceAll('\\', '/')
    .replace(/[^\x20-\x7e]/gu, '?');
  return safe.length > LONGEST_DESCRIPTION ? `${safe.slice(0, LONGEST_DESCRIPTION - 3)}...` : safe;
}

function challenge(code: OAuthErrorCode | undefined, description: string): Record<string, string> {
  if (code !== 'invalid_token' && code !== 'insufficient_scope') return {};
  return { 'WWW-Authenticate': `Bearer error="${code}", error_description="${description}"` };
}
