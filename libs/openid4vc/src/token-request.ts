import { parseAuthorizationDetails } from './authorization-details';
import { readParameters } from './form-parameters';
import { OAuthError } from './oauth-error';

export const PRE_AUTHORIZED_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';

/** A token request of any draft, normalised. */
export interface TokenRequest {
  readonly grant: 'pre-authorized_code';
  readonly preAuthorizedCode: string;
  /** `tx_code`, or the `user_pin` of draft 11. */
  readonly transactionCode?: string;
  readonly clientId?: string;
  /** Present exactly when the wallet sent `authorization_details`: the configurations it wants, without repetition. */
  readonly requestedConfigurationIds?: readonly string[];
}

const LONGEST: Readonly<Record<string, number>> = { authorization_details: 16_384, tx_code: 128, user_pin: 128 };

// RFC 6749 appendix A: codes and client identifiers are visible ASCII; a transaction code may be any text.
const VISIBLE_ASCII = /^[\x20-\x7e]*$/u;

/**
 * Reads the form parameters of a token request in the order they were sent.
 * @throws OAuthError invalid_request, unsupported_grant_type or invalid_authorization_details.
 */
export function parseTokenRequest(parameters: Iterable<readonly [string, string]>): TokenRequest {
  const values = readParameters(parameters, LONGEST);
  const grantType = values.get('grant_type');
  if (grantType === undefined) throw invalid('grant_type is missing.');
  if (grantType !== PRE_AUTHORIZED_CODE_GRANT) {
    throw new OAuthError(
      'unsupported_grant_type',
      `The grant type '${grantType}' is not supported here, only '${PRE_AUTHORIZED_CODE_GRANT}'.`,
    );
  }
  const preAuthorizedCode = values.get('pre-authorized_code');
  if (preAuthorizedCode === undefined) throw invalid('pre-authorized_code is missing.');
  const clientId = values.get('client_id');
  for (const [name, value] of [
    ['pre-authorized_code', preAuthorizedCode],
    ['client_id', clientId ?? ''],
  ] as const) {
    if (!VISIBLE_ASCII.test(value)) throw invalid(`${name} holds characters outside visible ASCII.`);
  }
  const transactionCode = readTransactionCode(values);
  const details = values.get('authorization_details');
  return {
    grant: 'pre-authorized_code',
    preAuthorizedCode,
    ...(transactionCode === undefined ? {} : { transactionCode }),
    ...(clientId === undefined ? {} : { clientId }),
    ...(details === undefined ? {} : { requestedConfigurationIds: parseAuthorizationDetails(details) }),
  };
}

function readTransactionCode(values: ReadonlyMap<string, string>): string | undefined {
  const code = values.get('tx_code');
  const pin = values.get('user_pin');
  // Bridging clients send the same code under both names.
  if (code !== undefined && pin !== undefined && code !== pin) {
    throw invalid('tx_code and user_pin are both present and differ.');
  }
  return code ?? pin;
}

function invalid(description: string): OAuthError {
  return new OAuthError('invalid_request', description);
}
