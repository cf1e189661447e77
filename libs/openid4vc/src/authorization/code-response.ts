/** What an authorization request led to. */
type CodeOutcome =
  | { readonly code: string }
  | { readonly error: 'access_denied' | 'temporarily_unavailable' | 'server_error' | 'invalid_request' };

/**
 * The address that takes the browser back to the client (RFC 6749 §4.1.2). The query that the client has there stays.
 * @param about `state` as the client sent it; `issuer` is the identifier of the authorization server (RFC 9207 §2)
 */
export function renderCodeResponse(
  redirectUri: string,
  outcome: CodeOutcome,
  { state, issuer }: { readonly state: string | undefined; readonly issuer: string },
): string {
  const parameters = new URLSearchParams({ ...outcome, ...(state !== undefined && { state }), iss: issuer });
  // Not every client reads a plus sign as a space.
  const query = parameters.toString().replaceAll('+', '%20');
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query}`;
}
