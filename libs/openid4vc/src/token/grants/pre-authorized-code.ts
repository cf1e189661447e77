import { assertVisibleAscii } from '../../wire/form-parameters';
import { OAuthError, type Quoting } from '../../wire/oauth-error';
import { type RefusalReason } from '../../wire/refusal-reason';

/** OpenID4VCI 1.0 §3.5. */
export const PRE_AUTHORIZED_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';

/** Characters. */
export const longestTransactionCodes = { tx_code: 128, user_pin: 128 } as const;

/** What a token request of this grant brings (OpenID4VCI 1.0 §6.1). */
export interface PreAuthorizedCodeRequest {
  readonly grant: 'pre-authorized_code';
  readonly preAuthorizedCode: string;
  /** `tx_code`, or the `user_pin` of draft 11. */
  readonly transactionCode?: string;
}

export interface TransactionCodeHint {
  readonly inputMode: 'numeric' | 'text';
  readonly length?: number;
  /** At most 300 characters (OpenID4VCI 1.0 §4.1.1). */
  readonly description?: string;
}

/** What an offer says about this grant. */
export interface PreAuthorizedCodeOffer {
  readonly preAuthorizedCode: string;
  /** Present when a transaction code is required. */
  readonly transactionCode?: TransactionCodeHint;
}

/** Throws `OAuthError` invalid_request. @param values the form of a token request */
export function readPreAuthorizedCode(values: ReadonlyMap<string, string>): PreAuthorizedCodeRequest {
  const preAuthorizedCode = values.get('pre-authorized_code');
  if (preAuthorizedCode === undefined) throw invalid('code-missing', 'pre-authorized_code is missing.');
  assertVisibleAscii('pre-authorized_code', preAuthorizedCode);
  const transactionCode = readTransactionCode(values);
  return { grant: 'pre-authorized_code', preAuthorizedCode, ...(transactionCode !== undefined && { transactionCode }) };
}

/** The member of `grants` in a credential offer (OpenID4VCI 1.0 §4.1.1). */
export function renderPreAuthorizedCode({ preAuthorizedCode, transactionCode }: PreAuthorizedCodeOffer): object {
  return {
    'pre-authorized_code': preAuthorizedCode,
    ...(transactionCode === undefined ? {} : { tx_code: renderTransactionCode(transactionCode) }),
  };
}

function renderTransactionCode({ inputMode, length, description }: TransactionCodeHint): object {
  return {
    input_mode: inputMode,
    ...(length === undefined ? {} : { length }),
    ...(description === undefined ? {} : { description }),
  };
}

function readTransactionCode(values: ReadonlyMap<string, string>): string | undefined {
  const code = values.get('tx_code');
  const pin = values.get('user_pin');
  // Bridging clients send the same code under both names.
  if (code !== undefined && pin !== undefined && code !== pin) {
    throw invalid('transaction-codes-differ', 'tx_code and user_pin are both present and differ.');
  }
  return code ?? pin;
}

function invalid(reason: RefusalReason, description: string | Quoting): OAuthError {
  return new OAuthError('invalid_request', description, { reason });
}
