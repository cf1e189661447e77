import { OAuthError, type RefusalReason } from '@app/openid4vc';

export function invalidRequest(reason: RefusalReason, description: string): OAuthError {
  return new OAuthError('invalid_request', description, { reason });
}

/** RFC 6749 §5.2. */
export function invalidClient(reason: RefusalReason, description: string, cause?: unknown): OAuthError {
  return new OAuthError('invalid_client', description, { reason, ...causeOf(cause) });
}

/** RFC 6749 §5.2: what belongs to a client is given to a client that names itself. */
export function unnamedClient(): OAuthError {
  return invalidClient('client-missing', 'The client is not named: authenticate, or send client_id.');
}

/** OAuth 2.0 Attestation-Based Client Authentication (draft 07) §6.2. */
export function invalidAttestation(reason: RefusalReason, description: string, cause?: unknown): OAuthError {
  return new OAuthError('invalid_client_attestation', description, { reason, ...causeOf(cause) });
}

function causeOf(cause: unknown): { cause?: Error } {
  return cause instanceof Error ? { cause } : {};
}
