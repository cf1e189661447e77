import { authorizationCodeGrantIdentifier, preAuthorizedCodeGrantIdentifier } from '@openid4vc/oauth2';
import {
  Openid4vciRetrieveCredentialsError,
  Openid4vciVersion,
  type CredentialOfferObject,
  type IssuerMetadataResult,
} from '@openid4vc/openid4vci';
import { Authorization, clientId, type BoundKey, type Browser } from './authorization';
import type { Configuration } from './configuration';
import { identifiersOf, identifyingFetch, type GivenDetails } from './credential-identifiers';
import { encryptingFetch, isEncryptionRequired } from './credential-encryption';
import { parsed, WalletFailure } from './failure';
import { proofSigner, type Binding, type HolderKey } from './holder-key';
import { fetchInTime, issuanceClient, type Draft } from './issuance-client';

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

/** Seconds; draft 13 §9.3. */
const usualInterval = 5;

/** One run of a flow against one issuer: remembers what the next request needs. */
export class Reception {
  private accessToken = '';
  /** Nonce from a token or credential response; issuers before OpenID4VCI draft 15 know no other. */
  private nonce: string | undefined;
  /** What the token is for, when its server says so. */
  private details: GivenDetails = [];
  /** The key that the token is bound to. */
  private bound: BoundKey | undefined;
  /** Named by the authorization request; wallets of a pre-authorized code have no name. */
  private clientId: string | undefined;

  private constructor(
    readonly offer: CredentialOfferObject,
    readonly metadata: IssuerMetadataResult,
    private readonly draft: Draft | undefined,
  ) {}

  static async readOffer(link: string, draft: Draft | undefined): Promise<CredentialOfferObject> {
    return issuanceClient(draft, null).resolveCredentialOffer(link);
  }

  static async open(offer: CredentialOfferObject, draft: Draft | undefined): Promise<Reception> {
    const metadata = await issuanceClient(draft, null).resolveIssuerMetadata(offer.credential_issuer);
    return new Reception(offer, metadata, draft);
  }

  get credentialIssuer(): string {
    return this.metadata.credentialIssuer.credential_issuer;
  }

  /** The version the metadata is written in, as people call it. */
  get version(): string {
    const { originalDraftVersion: version } = this.metadata;
    if (version === Openid4vciVersion.V1) return '1.0';
    // Drafts 13 and 14 look alike to the client library.
    return version === Openid4vciVersion.Draft14 ? 'draft 13/14' : version.replace('Draft', 'draft ');
  }

  /** Whether the metadata the wallet read speaks OpenID4VCI 1.0 (or draft 15) rather than draft 13 or 14. */
  get speaksFinal(): boolean {
    const { originalDraftVersion: version } = this.metadata;
    return version === Openid4vciVersion.V1 || version === Openid4vciVersion.Draft15;
  }

  /** Whether the person has to decide in a browser first. Throws when the offer has no grant that this wallet knows. */
  get needsBrowser(): boolean {
    const { grants } = this.offer;
    if (grants?.[preAuthorizedCodeGrantIdentifier]) return false;
    if (grants?.[authorizationCodeGrantIdentifier]) return true;
    throw new WalletFailure('The offer has neither a pre-authorized code nor the authorization code grant.');
  }

  /** What the issuer says about the transaction code; undefined when none is needed. */
  get txCode(): { length?: number | undefined; description?: string | undefined } | undefined {
    return this.offer.grants?.[preAuthorizedCodeGrantIdentifier]?.tx_code;
  }

  /** The authorization code flow. Answers token type and lifetime for display. */
  async authorize(browser: Browser, onPushed: (page: string) => void): Promise<string> {
    const authorization = await Authorization.of(this.offer, this.metadata);
    const { accessToken, nonce, details, bound, detail } = await authorization.complete(browser, onPushed);
    this.accessToken = accessToken;
    this.nonce = nonce;
    this.details = details;
    this.bound = bound;
    this.clientId = clientId;
    return detail;
  }

  /** Redeems the pre-authorized code; answers token type and lifetime for display. */
  async redeem(txCode: string | undefined): Promise<string> {
    const { accessTokenResponse } = await issuanceClient(
      this.draft,
      null,
    ).retrievePreAuthorizedCodeAccessTokenFromOffer({
      credentialOffer: this.offer,
      issuerMetadata: this.metadata,
      ...(txCode === undefined ? {} : { txCode }),
    });
    this.accessToken = accessTokenResponse.access_token;
    this.nonce = accessTokenResponse.c_nonce;
    this.details = accessTokenResponse.authorization_details ?? [];
    return `${accessTokenResponse.token_type} token for ${accessTokenResponse.expires_in ?? 'unknown'} s`;
  }

  /** One for each credential of the configuration, `undefined` for the one that its server has not named. */
  identifiersOf(configuration: Configuration): readonly (string | undefined)[] {
    const named = identifiersOf(configuration.id, this.details);
    return named.length > 0 ? named : [undefined];
  }

  /** A fresh key proof for the configuration, with the issuer's nonce where it gives one. */
  async prove(configuration: Configuration, key: HolderKey, binding: Binding): Promise<string> {
    const client = issuanceClient(this.draft, key);
    const issuerMetadata = this.metadata;
    // Draft 13 has no nonce endpoint; its nonce came with the token.
    const fromEndpoint = this.speaksFinal && issuerMetadata.credentialIssuer.nonce_endpoint !== undefined;
    const nonce = fromEndpoint ? (await client.requestNonce({ issuerMetadata })).c_nonce : this.nonce;
    const { jwt } = await client.createCredentialRequestJwtProof({
      issuerMetadata,
      credentialConfigurationId: configuration.id,
      signer: proofSigner(key, binding),
      ...(nonce === undefined ? {} : { nonce }),
      ...(this.clientId === undefined ? {} : { clientId: this.clientId }),
    });
    return jwt;
  }

  /** @param identifier one of `identifiersOf` */
  async request(
    configuration: Configuration,
    identifier: string | undefined,
    proof: string | undefined,
  ): Promise<Issued | Deferred> {
    const { credentialResponse: answer } = await this.clientFor(identifier).retrieveCredentials({
      issuerMetadata: this.metadata,
      accessToken: this.accessToken,
      credentialConfigurationId: configuration.id,
      ...this.possession,
      ...(proof === undefined ? {} : this.proofMember(proof)),
    });
    this.nonce = answer.c_nonce ?? this.nonce;
    if (answer.transaction_id !== undefined) {
      return { transactionId: answer.transaction_id, interval: answer.interval ?? usualInterval };
    }
    return this.issued(answer);
  }

  /** Asks for a credential that the issuer has deferred. */
  async collect(transactionId: string): Promise<Issued | Deferred> {
    const { accessToken, metadata: issuerMetadata, possession } = this;
    try {
      const asked = { issuerMetadata, accessToken, transactionId, ...possession };
      const collected = await this.clientFor().retrieveDeferredCredentials(asked);
      const { deferredCredentialResponse: answer } = collected;
      if (answer.transaction_id === undefined) return this.issued(answer);
      return { transactionId, interval: answer.interval ?? usualInterval };
    } catch (error) {
      const body = await answerIn(error);
      if (body?.credentials !== undefined) return this.issued(body);
      if (body?.error !== 'issuance_pending') throw error;
      return { transactionId, interval: body.interval ?? usualInterval };
    }
  }

  /** 1.0 §8.3: credentials is a list of objects; draft 13 has one credential. */
  private issued(answer: CredentialAnswer): Issued {
    const first: unknown = this.speaksFinal ? member(answer.credentials?.[0], 'credential') : answer.credential;
    if (typeof first !== 'string') throw new WalletFailure('The credential response contains no credential string.');
    return { credential: first, notificationId: answer.notification_id };
  }

  async notify(notificationId: string, event: 'credential_accepted' | 'credential_failure'): Promise<void> {
    await this.clientFor().sendNotification({
      issuerMetadata: this.metadata,
      accessToken: this.accessToken,
      notification: { notificationId, event },
      ...this.possession,
    });
  }

  /** Proves the key of a bound token. Credentials by authorization code are encrypted where the issuer can, others where it must. */
  private clientFor(identifier?: string) {
    const isEncrypted = this.clientId !== undefined || isEncryptionRequired(this.metadata);
    const send = (isEncrypted && encryptingFetch(this.metadata, fetchInTime)) || fetchInTime;
    const identifying = identifier === undefined ? send : identifyingFetch(this.metadata, identifier, send);
    return issuanceClient(this.draft, this.bound?.key ?? null, identifying);
  }

  private get possession() {
    return this.bound && { dpop: this.bound.dpop };
  }

  private proofMember(jwt: string) {
    return this.speaksFinal ? { proofs: { jwt: [jwt] } } : { proof: { proof_type: 'jwt' as const, jwt } };
  }
}

interface CredentialAnswer {
  readonly credentials?: readonly unknown[] | undefined;
  readonly credential?: unknown;
  readonly notification_id?: string | undefined;
}

/**
 * What the issuer has answered to a request that the client library reports as failed: an error, by which drafts 13 to 15 say
 * that a credential is still pending, or a credential with a notification_id, which the library rejects when it was deferred.
 */
async function answerIn(error: unknown): Promise<DeferredAnswer | undefined> {
  if (!(error instanceof Openid4vciRetrieveCredentialsError)) return undefined;
  const body = parsed(await error.response.response.clone().text());
  return typeof body === 'object' && body !== null ? body : undefined;
}

interface DeferredAnswer extends CredentialAnswer {
  readonly error?: string;
  readonly interval?: number;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
