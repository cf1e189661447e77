import {
  authorizationCodeGrantIdentifier,
  preAuthorizedCodeGrantIdentifier,
  type AccessTokenResponse,
  type RequestDpopOptions,
} from '@openid4vc/oauth2';
import {
  AuthorizationFlow,
  extractScopesForCredentialConfigurationIds,
  type CredentialOfferObject,
  type IssuerMetadataResult,
} from '@openid4vc/openid4vci';
import { issuanceClient } from './client';
import { WalletFailure } from './failure';
import { generateHolderKey, publicJwk, type HolderKey } from './keys';

/** By this name issuers know the development wallet, which cannot prove that it is the one. */
const clientId = 'sealwright-development-wallet';

/** The browser of the person who decides about an authorization request. */
export interface Browser {
  /** Where the pages of the issuer send the person back to. */
  readonly redirectUri: string;
  /** Opens the page. @returns the address that it led back to, with its query */
  open(url: string): Promise<string>;
}

/** What the wallet may fetch credentials with. */
export interface Token {
  readonly response: AccessTokenResponse;
  /** Named by an authorization request; wallets of a pre-authorized code have no name. */
  readonly clientId?: string;
  /** The key that the token is bound to (RFC 9449). */
  readonly bound?: { readonly key: HolderKey; readonly dpop: RequestDpopOptions };
}

interface Terms {
  readonly credentialOffer: CredentialOfferObject;
  readonly issuerMetadata: IssuerMetadataResult;
}

/** The means of the person, for either grant. */
interface Means {
  readonly txCode?: string | undefined;
  readonly askTxCode?: ((hint: string) => Promise<string>) | undefined;
  readonly browser?: Browser | undefined;
}

/** By the grant of the offer, the pre-authorized code where it has both. @param onPushed called with the page to open */
export async function tokenFor(terms: Terms, means: Means, onPushed: (page: string) => void): Promise<Token> {
  const { [preAuthorizedCodeGrantIdentifier]: code, [authorizationCodeGrantIdentifier]: authorization } =
    terms.credentialOffer.grants ?? {};
  if (code) {
    const txCode = means.txCode ?? (code.tx_code && (await askedTxCode(code.tx_code, means)));
    const redeemed = await issuanceClient().retrievePreAuthorizedCodeAccessTokenFromOffer({
      ...terms,
      ...(txCode !== undefined && { txCode }),
    });
    return { response: redeemed.accessTokenResponse };
  }
  if (!authorization) {
    throw new WalletFailure('The offer has neither a pre-authorized code nor the authorization code grant.');
  }
  if (means.browser) return authorize(terms, means.browser, onPushed);
  throw new WalletFailure('The issuer wants the person to decide in a browser, and none was given.');
}

async function askedTxCode(required: { length?: number | undefined; description?: string | undefined }, means: Means) {
  const length = required.length === undefined ? '' : ` of ${required.length} characters`;
  const hint = `transaction code${length}${required.description ? ` (${required.description})` : ''}`;
  if (means.askTxCode) return means.askTxCode(hint);
  throw new WalletFailure(`The issuer requires a ${hint}; give it with --tx-code.`);
}

/** Pushed (RFC 9126), with PKCE, bound to a fresh key (RFC 9449) where the issuer can. */
async function authorize(terms: Terms, browser: Browser, onPushed: (page: string) => void): Promise<Token> {
  const { issuerMetadata, credentialOffer } = terms;
  const [server] = issuerMetadata.authorizationServers;
  if (!server) throw new WalletFailure('The issuer has no authorization server.');
  const binds = server.dpop_signing_alg_values_supported?.includes('ES256') === true;
  const key = binds ? await generateHolderKey('ES256') : undefined;
  const dpop = key && { dpop: { signer: { method: 'jwk' as const, alg: key.algorithm, publicJwk: publicJwk(key) } } };
  const client = issuanceClient(key);
  const { redirectUri } = browser;
  const scopes = extractScopesForCredentialConfigurationIds({
    issuerMetadata,
    credentialConfigurationIds: credentialOffer.credential_configuration_ids,
    throwOnConfigurationWithoutScope: true,
  });
  const asked = { ...terms, clientId, redirectUri, scope: scopes?.join(' ') ?? '', ...dpop };
  const begun = await client.initiateAuthorization(asked);
  if (begun.authorizationFlow !== AuthorizationFlow.Oauth2Redirect) {
    throw new WalletFailure('The issuer asks for a presentation first; this wallet knows only pages.');
  }
  onPushed(begun.authorizationRequestUrl);
  const url = await browser.open(begun.authorizationRequestUrl);
  // That the answer is to this request is known by its issuer (RFC 9207) and by PKCE.
  const answer = client.parseAndVerifyAuthorizationResponseRedirectUrl({ url, authorizationServerMetadata: server });
  if (answer.error !== undefined) {
    const words = typeof answer.error_description === 'string' ? `: ${answer.error_description}` : '';
    throw new WalletFailure(`The page led back with ${answer.error}${words}.`);
  }
  const given = await client.retrieveAuthorizationCodeAccessTokenFromOffer({
    ...{ ...terms, redirectUri, authorizationCode: answer.code, ...dpop },
    additionalRequestPayload: { client_id: clientId },
    ...(begun.pkce && { pkceCodeVerifier: begun.pkce.codeVerifier }),
  });
  const { accessTokenResponse: response } = given;
  const isBound = response.token_type.toLowerCase() === 'dpop';
  return { response, clientId, ...(key && dpop && isBound && { bound: { key, dpop: given.dpop ?? dpop.dpop } }) };
}
