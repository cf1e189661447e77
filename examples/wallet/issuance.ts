import {
  authorizationCodeGrantIdentifier as byCode,
  preAuthorizedCodeGrantIdentifier as preAuthorized,
  type AccessTokenResponse,
  type RequestDpopOptions,
} from '@openid4vc/oauth2';
import {
  AuthorizationFlow,
  extractScopesForCredentialConfigurationIds,
  Openid4vciRetrieveCredentialsError,
  Openid4vciVersion,
  type CredentialOfferObject,
  type IssuerMetadataResult,
} from '@openid4vc/openid4vci';
import { type Fetch, fetchInTime, issuanceClient } from './client';
import type { Configuration } from './configuration';
import { credentialFetch } from './credential-fetch';
import { parsed, WalletFailure } from './failure';
import { type Binding, generateHolderKey, type HolderKey, proofSigner, publicJwk } from './keys';

/** By this name issuers know the development wallet, which cannot prove that it is the one. */
const clientId = 'sealwright-development-wallet';

/** The browser of the person who decides about an authorization request. */
export interface Browser {
  /** Where the pages of the issuer send the person back to. */
  readonly redirectUri: string;
  /** Opens the page. @returns the address that it led back to, with its query */
  open(url: string): Promise<string>;
}

export interface Issued {
  readonly credential: string;
  readonly notificationId: string | undefined;
}

/** The issuer does not have the data yet. */
export interface Deferred {
  readonly transactionId: string;
  /** Seconds after which to ask again. */
  readonly interval: number;
}

/** Members of an answer with a credential, or with the reason why there is none yet. */
interface Answer {
  readonly credentials?: readonly unknown[] | undefined;
  readonly notification_id?: string | undefined;
  readonly transaction_id?: string | undefined;
  readonly interval?: number | undefined;
  readonly error?: unknown;
}

/** One run of a flow against one issuer: remembers what the next request needs. */
export class Issuance {
  private accessToken = '';
  /** Nonce from a token or credential response; issuers before OpenID4VCI draft 15 know no other. */
  private nonce: string | undefined;
  private details: readonly Record<string, unknown>[] = [];
  /** The key that the token is bound to (RFC 9449). */
  private bound: { readonly key: HolderKey; readonly dpop: RequestDpopOptions } | undefined;
  /** Named by the authorization request; wallets of a pre-authorized code have no name. */
  private clientId: string | undefined;

  private constructor(
    readonly offer: CredentialOfferObject,
    readonly metadata: IssuerMetadataResult,
  ) {}

  static readOffer(link: string): Promise<CredentialOfferObject> {
    return issuanceClient(undefined).resolveCredentialOffer(link);
  }

  /** @param draft13 reads the metadata, and speaks from then on, as a wallet of draft 13 */
  static async open(offer: CredentialOfferObject, draft13: boolean): Promise<Issuance> {
    const client = issuanceClient(undefined, draft13 ? hidingFinalMetadata : fetchInTime);
    return new Issuance(offer, await client.resolveIssuerMetadata(offer.credential_issuer));
  }

  /** The version the metadata is written in, as people call it. */
  get version(): string {
    const { originalDraftVersion: version } = this.metadata;
    if (version === Openid4vciVersion.V1) return '1.0';
    // Drafts 13 and 14 look alike to the client library.
    return version === Openid4vciVersion.Draft14 ? 'draft 13/14' : version.replace('Draft', 'draft ');
  }

  /** What the issuer says about the transaction code; undefined when none is needed. */
  get txCode() {
    return this.offer.grants?.[preAuthorized]?.tx_code;
  }

  /** Whether the person has to decide in a browser first. Throws when the offer has no grant that this wallet knows. */
  get needsBrowser(): boolean {
    const { [preAuthorized]: code, [byCode]: authorization } = this.offer.grants ?? {};
    if (code ?? authorization) return !code;
    throw new WalletFailure('The offer has neither a pre-authorized code nor the authorization code grant.');
  }

  /** Redeems the pre-authorized code; answers token type and lifetime for display. */
  async redeem(txCode: string | undefined): Promise<string> {
    const { accessTokenResponse } = await issuanceClient(undefined).retrievePreAuthorizedCodeAccessTokenFromOffer({
      ...this.terms,
      ...(txCode !== undefined && { txCode }),
    });
    return this.keep(accessTokenResponse);
  }

  /**
   * The authorization code flow: pushed (RFC 9126), with PKCE, bound to a fresh key (RFC 9449) where the issuer can.
   * @param onPushed called with the page to open. Answers as `redeem`
   */
  async authorize(browser: Browser, onPushed: (page: string) => void): Promise<string> {
    const { redirectUri } = browser;
    const [server] = this.metadata.authorizationServers;
    if (!server) throw new WalletFailure('The issuer has no authorization server.');
    const binds = server.dpop_signing_alg_values_supported?.includes('ES256') === true;
    const key = binds ? await generateHolderKey('ES256') : undefined;
    const dpop = key && { signer: { method: 'jwk' as const, alg: key.algorithm, publicJwk: publicJwk(key) } };
    const client = issuanceClient(key);
    const configurationIds = this.offer.credential_configuration_ids;
    const scopes = extractScopesForCredentialConfigurationIds({
      issuerMetadata: this.metadata,
      credentialConfigurationIds: configurationIds,
      throwOnConfigurationWithoutScope: true,
    });
    const begun = await client.initiateAuthorization({
      ...{ ...this.terms, clientId, redirectUri, scope: scopes?.join(' ') ?? '' },
      ...(dpop && { dpop }),
    });
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
      ...{
        ...this.terms,
        redirectUri,
        authorizationCode: answer.code,
        additionalRequestPayload: { client_id: clientId },
      },
      ...(begun.pkce && { pkceCodeVerifier: begun.pkce.codeVerifier }),
      ...(dpop && { dpop }),
    });
    this.clientId = clientId;
    const isBound = given.accessTokenResponse.token_type.toLowerCase() === 'dpop';
    if (key && dpop && isBound) this.bound = { key, dpop: given.dpop ?? dpop };
    return this.keep(given.accessTokenResponse);
  }

  /** The credentials of the configuration that the token names, `undefined` for the one that its server has not named. */
  identifiersOf({ id }: Configuration): readonly (string | undefined)[] {
    const named = this.details.filter(
      (one) => one['type'] === 'openid_credential' && one['credential_configuration_id'] === id,
    );
    const identifiers = named.flatMap((one) => one['credential_identifiers'] as readonly string[]);
    return identifiers.length > 0 ? identifiers : [undefined];
  }

  /** A fresh key proof for the configuration, with the issuer's nonce where it gives one. */
  async prove({ id }: Configuration, key: HolderKey, binding: Binding): Promise<string> {
    const client = issuanceClient(key);
    const issuerMetadata = this.metadata;
    const fromEndpoint = this.speaksFinal && issuerMetadata.credentialIssuer.nonce_endpoint !== undefined;
    const nonce = fromEndpoint ? (await client.requestNonce({ issuerMetadata })).c_nonce : this.nonce;
    const { jwt } = await client.createCredentialRequestJwtProof({
      ...{ issuerMetadata, credentialConfigurationId: id, signer: proofSigner(key, binding) },
      ...(nonce !== undefined && { nonce }),
      ...(this.clientId !== undefined && { clientId: this.clientId }),
    });
    return jwt;
  }

  /** @param identifier one of `identifiersOf` */
  async request({ id }: Configuration, identifier: string | undefined, jwt?: string): Promise<Issued | Deferred> {
    const { credentialResponse } = await this.client(identifier).retrieveCredentials({
      ...{ ...this.access, credentialConfigurationId: id },
      ...(jwt !== undefined && this.speaksFinal && { proofs: { jwt: [jwt] } }),
      ...(jwt !== undefined && !this.speaksFinal && { proof: { proof_type: 'jwt' as const, jwt } }),
    });
    this.nonce = credentialResponse.c_nonce ?? this.nonce;
    return this.read(credentialResponse);
  }

  /** Asks for a credential that the issuer has deferred. */
  async collect(transactionId: string): Promise<Issued | Deferred> {
    try {
      const given = await this.client().retrieveDeferredCredentials({ ...this.access, transactionId });
      return this.read(given.deferredCredentialResponse);
    } catch (error) {
      // An error by which drafts 13 to 15 say that it is pending, or a credential with a notification_id, which the
      // client library rejects when it was deferred.
      if (!(error instanceof Openid4vciRetrieveCredentialsError)) throw error;
      const body = parsed(await error.response.response.clone().text()) as Answer | undefined;
      if (body?.error === 'issuance_pending') return this.read({ ...body, transaction_id: transactionId });
      if (body?.credentials === undefined) throw error;
      return this.read(body);
    }
  }

  async notify(notificationId: string, event: 'credential_accepted' | 'credential_failure'): Promise<void> {
    await this.client().sendNotification({ ...this.access, notification: { notificationId, event } });
  }

  /** 1.0 §8.3: `credentials` is a list of objects; in draft 13 the answer is such an object itself. */
  private read(answer: Answer): Issued | Deferred {
    // Draft 13 §9.3: five seconds where the issuer says nothing.
    if (answer.transaction_id !== undefined)
      return { transactionId: answer.transaction_id, interval: answer.interval ?? 5 };
    const [first] = (answer.credentials ?? [answer]) as readonly { readonly credential?: unknown }[];
    const credential = first?.credential;
    if (typeof credential !== 'string')
      throw new WalletFailure('The credential response contains no credential string.');
    return { credential, notificationId: answer.notification_id };
  }

  private keep({ access_token, c_nonce, authorization_details, token_type, expires_in }: AccessTokenResponse): string {
    this.accessToken = access_token;
    this.nonce = c_nonce;
    this.details = authorization_details ?? [];
    return `${token_type} token for ${expires_in ?? 'unknown'} s`;
  }

  /** Whether the metadata speaks OpenID4VCI 1.0 (or draft 15) rather than draft 13 or 14. */
  private get speaksFinal(): boolean {
    const { originalDraftVersion: version } = this.metadata;
    return version === Openid4vciVersion.V1 || version === Openid4vciVersion.Draft15;
  }

  private get terms() {
    return { credentialOffer: this.offer, issuerMetadata: this.metadata };
  }

  private get access() {
    const { accessToken, metadata: issuerMetadata, bound } = this;
    return { accessToken, issuerMetadata, ...(bound && { dpop: bound.dpop }) };
  }

  /** Proves the key of a bound token. Credentials by authorization code are encrypted where the issuer can, others where it must. */
  private client(identifier?: string) {
    return issuanceClient(this.bound?.key, credentialFetch(this.metadata, identifier, this.clientId !== undefined));
  }
}

/** Drafts 13 to 15 append the well-known path to the issuer's; a draft 13 wallet never asks at the inserted one. */
const hidingFinalMetadata: Fetch = async (input, init) => {
  const { pathname } = new URL(input instanceof Request ? input.url : input);
  const isFinal = pathname.startsWith('/.well-known/openid-credential-issuer/');
  return isFinal ? Response.json({}, { status: 404 }) : fetchInTime(input, init);
};
