import { type DeferredRequest } from './deferred-credential';

export interface CredentialsIssued {
  /** One compact credential per proof, in the order of the proofs. */
  readonly credentials: readonly [string, ...string[]];
  readonly notificationId?: string;
  /** For the wallet's next request. 1.0 has the nonce endpoint for it; for the next credential of an offer, Credo 0.6 looks here alone. */
  readonly nonce?: string;
  /** Seconds. */
  readonly nonceExpiresIn: number;
}

/** Body of a successful credential response, in the form of the request; send it with `Cache-Control: no-store`. */
export function renderCredentialResponse(
  request: Pick<DeferredRequest, 'requestClass' | 'named'>,
  issued: CredentialsIssued,
): Record<string, unknown> {
  const { credentials } = issued;
  const objects = credentials.map((credential) => ({ credential }));
  const notification = issued.notificationId === undefined ? {} : { notification_id: issued.notificationId };
  const nonce = issued.nonce === undefined ? {} : { c_nonce: issued.nonce, c_nonce_expires_in: issued.nonceExpiresIn };
  // Drafts 13 and 14 read `credential`, draft 15 and 1.0 `credentials`; both are there wherever either may be read.
  const both = { credential: credentials[0], credentials: objects, ...nonce, ...notification };
  switch (request.requestClass) {
    case 'F':
      return { credentials: objects, ...nonce, ...notification };
    case 'F-single':
    case 'L13':
      return both;
    case 'L14':
      // Draft 14 §7.3: an array of the credentials themselves; objects came with draft 15.
      return { credentials: [...credentials], ...nonce, ...notification };
    case 'L11':
      return { ...(request.named.by === 'format' ? { format: request.named.format } : {}), ...both };
  }
}

/**
 * Body of a batch credential response (draft 13 §8.2), which has one nonce for all.
 * @param responses as single ones, in the order of the requests; each issued or deferred
 */
export function renderBatchCredentialResponse(
  responses: readonly Record<string, unknown>[],
  { nonce, nonceExpiresIn }: Required<Pick<CredentialsIssued, 'nonce' | 'nonceExpiresIn'>>,
): Record<string, unknown> {
  return {
    credential_responses: responses.map(({ c_nonce: _nonce, c_nonce_expires_in: _expiry, ...response }) => response),
    c_nonce: nonce,
    c_nonce_expires_in: nonceExpiresIn,
  };
}
