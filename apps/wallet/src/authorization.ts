import type { AuthorizationServerMetadata, CreatePkceReturn, RequestDpopOptions } from '@openid4vc/oauth2';
import { AuthorizationFlow, type CredentialOfferObject, type IssuerMetadataResult } from '@openid4vc/openid4vci';
import type { GivenDetails } from './credential-identifiers';
import { WalletFailure } from './failure';
import { generateHolderKey, publicJwk, type HolderKey } from './holder-key';
import { issuanceClient } from './issuance-client';

/** By this name issuers know the development wallet, which cannot prove that it is the one. */
export const clientId = 'sealwright-development-wallet';

/** The browser of the person who decides about an authorization request. */
export interface Browser {
  /** Where the pages of the issuer send the person back to. */
  readonly redirectUri: string;
  /** Opens the page. @returns the address that it led back to, with its query */
  open(url: string): Promise<string>;
}

/** What a wallet may fetch credentials with. */
export interface Token {
  readonly accessToken: string;
  readonly nonce: string | undefined;
  /** What it is for, when the server says so. */
  readonly details: GivenDetails;
  /** With the key that the token is bound to; absent for bearer tokens. */
  readonly bound?: BoundKey;
  /** For people. */
  readonly detail: string;
}

export interface BoundKey {
  readonly key: HolderKey;
  readonly dpop: RequestDpopOptions;
}

/** The authorization code flow of one offer: pushed (RFC 9126), with PKCE, bound to a fresh key (RFC 9449) where the issuer can. */
export class Authorization {
  private constructor(
    private readonly offer: CredentialOfferObject,
    private readonly issuerMetadata: IssuerMetadataResult,
    private readonly server: AuthorizationServerMetadata,
    private readonly bound: BoundKey | undefined,
  ) {}

  static async of(offer: CredentialOfferObject, issuerMetadata: IssuerMetadataResult): Promise<Authorization> {
    const [server] = issuerMetadata.authorizationServers;
    if (!server) throw new WalletFailure('The issuer has no authorization server.');
    const canBind = server.dpop_signing_alg_values_supported?.includes('ES256') === true;
    return new Authorization(offer, issuerMetadata, server, canBind ? await freshKey() : undefined);
  }

  /** Asks the issuer, lets the person decide in the browser, and exchanges the code. @param onPushed called with the page to open */
  async complete(browser: Browser, onPushed: (page: string) => void): Promise<Token> {
    const { redirectUri } = browser;
    const begun = await this.client.initiateAuthorization({
      clientId,
      redirectUri,
      scope: this.scope,
      credentialOffer: this.offer,
      issuerMetadata: this.issuerMetadata,
      ...(this.bound && { dpop: this.bound.dpop }),
    });
    if (begun.authorizationFlow !== AuthorizationFlow.Oauth2Redirect) {
      throw new WalletFailure('The issuer asks for a presentation first; this wallet knows only pages.');
    }
    onPushed(begun.authorizationRequestUrl);
    const code = this.codeIn(await browser.open(begun.authorizationRequestUrl));
    return this.exchange(code, redirectUri, begun.pkce);
  }

  private async exchange(code: string, redirectUri: string, pkce: CreatePkceReturn | undefined): Promise<Token> {
    const { accessTokenResponse: token, dpop } = await this.client.retrieveAuthorizationCodeAccessTokenFromOffer({
      credentialOffer: this.offer,
      issuerMetadata: this.issuerMetadata,
      authorizationCode: code,
      redirectUri,
      additionalRequestPayload: { client_id: clientId },
      ...(pkce && { pkceCodeVerifier: pkce.codeVerifier }),
      ...(this.bound && { dpop: this.bound.dpop }),
    });
    const isBound = this.bound !== undefined && token.token_type.toLowerCase() === 'dpop';
    return {
      accessToken: token.access_token,
      nonce: token.c_nonce,
      details: token.authorization_details ?? [],
      ...(isBound && { bound: { key: this.bound.key, dpop: dpop ?? this.bound.dpop } }),
      detail: `${token.token_type} token for ${token.expires_in ?? 'unknown'} s`,
    };
  }

  /** RFC 6749 §4.1.2. That the answer is to this request is known by its issuer (RFC 9207) and by PKCE. */
  private codeIn(address: string): string {
    const response = this.client.parseAndVerifyAuthorizationResponseRedirectUrl({
      url: address,
      authorizationServerMetadata: this.server,
    });
    if (response.error !== undefined) {
      const words = typeof response.error_description === 'string' ? `: ${response.error_description}` : '';
      throw new WalletFailure(`The page led back with ${response.error}${words}.`);
    }
    return response.code;
  }

  /** OpenID4VCI 1.0 §5.1.2. */
  private get scope(): string {
    const { credential_configurations_supported: configurations } = this.issuerMetadata.credentialIssuer;
    const scopes = this.offer.credential_configuration_ids.map((id) => {
      const scope: unknown = configurations[id]?.scope;
      if (typeof scope !== 'string') throw new WalletFailure(`The issuer names no scope for ${id}.`);
      return scope;
    });
    return [...new Set(scopes)].join(' ');
  }

  private get client() {
    return issuanceClient(undefined, this.bound?.key ?? null);
  }
}

async function freshKey(): Promise<BoundKey> {
  const key = await generateHolderKey('ES256');
  return { key, dpop: { signer: { method: 'jwk', alg: key.algorithm, publicJwk: publicJwk(key) } } };
}
