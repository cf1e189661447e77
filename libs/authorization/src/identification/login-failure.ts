import type { ErrorForClient } from '../authorization';
import { IdentificationFailure } from './identification-failure';

/** Why a login identified nobody, as one word for events. */
export type LoginFault =
  /** The person went back, or the provider refused them. */
  | 'login-cancelled'
  /** The provider knows the person less surely than the settings demand. */
  | 'login-too-weak'
  | 'login-unavailable'
  /** The provider does not take this service for the client: its id, secret or key, or what that client may do. */
  | 'login-client-refused'
  /** The provider does not take the request: the redirect URI, a scope, PKCE or another parameter. */
  | 'login-request-refused'
  /** The provider does not take the code: it is used or too old, or the redirect URI, the client or PKCE are others. */
  | 'login-code-refused'
  /** The provider does not take the DPoP proof, or binds no tokens. */
  | 'login-binding-refused'
  /** The provider does not answer at its UserInfo endpoint, such as to a lightweight token. */
  | 'login-userinfo-refused'
  /** What the provider answered cannot be read: no JSON, or signed or encrypted by other keys or algorithms. */
  | 'login-answer-unreadable'
  /** What came back was not from this login, or not from this provider. */
  | 'login-not-accepted';

/** What is known of a failure, for the log and the doctor: without secrets, control characters and claims. */
export interface LoginFailureDetail {
  /** HTTP status of the provider. */
  readonly status?: number | undefined;
  /** As the provider calls it (RFC 6749 §5.2), or of `OutboundError`. */
  readonly error?: string | undefined;
  /** Of the provider, at most 300 characters, or of the library. */
  readonly words?: string | undefined;
}

/** A login that identified nobody. */
export class LoginFailure extends IdentificationFailure {
  constructor(
    readonly fault: LoginFault,
    readonly detail: LoginFailureDetail = {},
    options?: ErrorOptions,
  ) {
    super({ reason: fault }, errors[fault], options);
  }
}

const errors: Readonly<Record<LoginFault, ErrorForClient>> = {
  'login-cancelled': 'access_denied',
  'login-too-weak': 'access_denied',
  'login-unavailable': 'temporarily_unavailable',
  'login-client-refused': 'server_error',
  'login-request-refused': 'server_error',
  'login-code-refused': 'server_error',
  'login-binding-refused': 'server_error',
  'login-userinfo-refused': 'server_error',
  'login-answer-unreadable': 'server_error',
  'login-not-accepted': 'server_error',
};
