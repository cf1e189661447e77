import { parseAuthorizationDetails } from './authorization-details';
import { assertVisibleAscii, readParameters } from '../wire/form-parameters';
import {
  AUTHORIZATION_CODE_GRANT,
  type AuthorizationCodeRequest,
  readAuthorizationCode,
} from './grants/authorization-code';
import {
  longestTransactionCodes,
  PRE_AUTHORIZED_CODE_GRANT,
  type PreAuthorizedCodeRequest,
  readPreAuthorizedCode,
} from './grants/pre-authorized-code';
import { readRefreshToken, REFRESH_TOKEN_GRANT, type RefreshTokenRequest } from './grants/refresh-token';
import { OAuthError, Quoting } from '../wire/oauth-error';
import { type WalletGeneration } from '../credential/request-class';

/** What a token request of every grant may bring. */
interface TokenRequestTerms {
  readonly clientId?: string;
  /** Present exactly when the wallet sent `authorization_details`: the configurations it wants, without repetition. */
  readonly requestedConfigurationIds?: readonly string[];
}

/** A token request of any draft, normalised. */
export type TokenRequest = TokenRequestTerms & GrantRequest;

type GrantRequest = PreAuthorizedCodeRequest | AuthorizationCodeRequest | RefreshTokenRequest;

const LONGEST: Readonly<Record<string, number>> = {
  authorization_details: 16_384,
  client_assertion: 16_384,
  ...longestTransactionCodes,
};

/** The grant types of the token endpoint, and how each reads its own parameters. */
const grantTypes = new Map<string, (values: ReadonlyMap<string, string>) => GrantRequest>([
  [AUTHORIZATION_CODE_GRANT, readAuthorizationCode],
  [REFRESH_TOKEN_GRANT, readRefreshToken],
  [PRE_AUTHORIZED_CODE_GRANT, readPreAuthorizedCode],
]);

/** For the metadata of the authorization server. */
export const supportedGrantTypes: readonly string[] = [...grantTypes.keys()];

/** The code and the generation that a form shows which may be no token request. */
export function describeRefusedRedemption(parameters: URLSearchParams): {
  readonly shown: ShownForToken;
  readonly generation?: WalletGeneration;
} {
  const shown = {
    preAuthorizedCode: parameters.get('pre-authorized_code') ?? undefined,
    code: parameters.get('code') ?? undefined,
    refreshToken: parameters.get('refresh_token') ?? undefined,
  };
  // `user_pin` has been `tx_code` since draft 13.
  return { shown, ...(parameters.has('user_pin') && !parameters.has('tx_code') && { generation: 'draft 11' }) };
}

/** What a token request shows to get a token for. */
export interface ShownForToken {
  readonly preAuthorizedCode: string | undefined;
  readonly code: string | undefined;
  readonly refreshToken: string | undefined;
}

/**
 * Reads the form parameters of a token request in the order they were sent.
 * @throws OAuthError invalid_request, unsupported_grant_type or invalid_authorization_details.
 */
export function parseTokenRequest(parameters: Iterable<readonly [string, string]>): TokenRequest {
  const values = readParameters(parameters, LONGEST);
  const grantType = values.get('grant_type');
  if (grantType === undefined)
    throw new OAuthError('invalid_request', 'grant_type is missing.', { reason: 'grant-type-missing' });
  const readGrant = grantTypes.get(grantType);
  if (!readGrant) {
    const supported = supportedGrantTypes.map((type) => `'${type}'`).join(' or ');
    throw new OAuthError(
      'unsupported_grant_type',
      new Quoting(
        `The grant type '${grantType}' is not supported here, only ${supported}.`,
        `The grant type '...' is not supported here, only ${supported}.`,
      ),
    );
  }
  const grant = readGrant(values);
  const clientId = values.get('client_id');
  if (clientId !== undefined) assertVisibleAscii('client_id', clientId);
  const details = values.get('authorization_details');
  return {
    ...grant,
    ...(clientId === undefined ? {} : { clientId }),
    ...(details === undefined ? {} : { requestedConfigurationIds: parseAuthorizationDetails(details) }),
  };
}
