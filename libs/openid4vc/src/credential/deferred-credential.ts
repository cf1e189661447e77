import { type EncryptionRules, readResponseEncryption, type ResponseEncryption } from './credential-encryption';
import { type CredentialRequest } from './credential-request';
import { OAuthError, type Quoting } from '../wire/oauth-error';
import { type RefusalReason } from '../wire/refusal-reason';
import { isEarlierDialect } from './request-class';
import { isWireObject, member } from '../wire/wire-object';

/** What is kept of a credential request whose credential comes later: its dialect is that of every answer about it. */
export type DeferredRequest = Omit<CredentialRequest, 'proofs' | 'proofType' | 'responseEncryption'>;

/**
 * Reads the JSON body of a deferred credential request (OpenID4VCI 1.0 §9.1, alike in drafts 13 to 15).
 * @returns the transaction_id as sent; without `responseEncryption` the response is sent in clear
 * @throws OAuthError
 */
export function parseDeferredRequest(
  body: unknown,
  rules: EncryptionRules,
): { readonly transactionId: string; readonly responseEncryption?: ResponseEncryption } {
  if (!isWireObject(body))
    throw invalid('not-an-object', 'The body of a deferred credential request must be a JSON object.');
  const transactionId = member(body, 'transaction_id');
  if (typeof transactionId !== 'string') throw invalid('transaction-id-missing', 'transaction_id must be a string.');
  const responseEncryption = readResponseEncryption(body, rules);
  return { transactionId, ...(responseEncryption && { responseEncryption }) };
}

export interface Deferral {
  readonly transactionId: string;
  /** By which a wallet of draft 11 asks for this credential, in place of its access token and a body. */
  readonly acceptanceToken?: string | undefined;
  /** Seconds after which the wallet asks again at the earliest. */
  readonly interval: number;
  /** As `CredentialsIssued.nonce`. */
  readonly nonce?: string;
  /** Seconds. */
  readonly nonceExpiresIn: number;
}

/**
 * Body of the credential response that defers a credential, with status 202 and `Cache-Control: no-store` (OpenID4VCI 1.0
 * §8.3, draft 13 §7.3; drafts 13 to 15 ignore the interval). Draft 11 §9 knows the `acceptance_token` in place of the
 * `transaction_id`.
 */
export function renderDeferral(
  { requestClass }: Pick<DeferredRequest, 'requestClass'>,
  { transactionId, acceptanceToken, interval, nonce, nonceExpiresIn }: Deferral,
): Record<string, unknown> {
  const next = nonce === undefined ? {} : { c_nonce: nonce, c_nonce_expires_in: nonceExpiresIn };
  const deferred = { transaction_id: transactionId, interval, ...next };
  if (requestClass !== 'L11' || acceptanceToken === undefined) return deferred;
  return { ...deferred, acceptance_token: acceptanceToken };
}

/**
 * Body of the answer that a credential is still not there, with status 202 (OpenID4VCI 1.0 §9.2).
 * @throws OAuthError issuance_pending, to the wallets of drafts 13 to 15 (draft 13 §9.3)
 */
export function renderStillPending(
  request: DeferredRequest,
  { transactionId, interval }: Pick<Deferral, 'transactionId' | 'interval'>,
): Record<string, unknown> {
  if (!isEarlierDialect(request)) return { transaction_id: transactionId, interval };
  const description = `The issuer has not submitted the data yet: ask again in ${interval} s.`;
  throw new OAuthError('issuance_pending', description, { extra: { interval } });
}

/** For an id that was not issued here, belongs to another access token, or has served. */
export function unknownTransaction(): OAuthError {
  return new OAuthError(
    'invalid_transaction_id',
    'The transaction_id is unknown, has been used, or belongs to another access token.',
  );
}

function invalid(reason: RefusalReason, description: string | Quoting): OAuthError {
  return new OAuthError('invalid_credential_request', description, { reason });
}
