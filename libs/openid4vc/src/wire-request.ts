import { type DcqlQuery } from './dcql-query';
import { type PresentationDefinition } from './presentation-definition';

/** The public half of the key this variant's response is encrypted to (P-256 or X25519). */
export interface ResponseEncryptionKey {
  readonly kid: string;
  readonly jwk: { readonly kty: string; readonly crv: string; readonly x: string; readonly y?: string };
}

interface AnyVariant {
  /** Our DID; its key signs the request. */
  readonly did: string;
  /** Where the wallet posts its answer, of this variant alone. */
  readonly responseUri: string;
  /** 128 random bits or more, URL-safe. */
  readonly nonce: string;
  readonly state: string;
  /** Seconds since 1970. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** The JWS algorithms we verify, preferred first, at least one. */
  readonly algorithms: readonly string[];
  /** From a POST at the request URI. */
  readonly walletNonce?: string;
}

export interface FinalRequest extends AnyVariant {
  readonly variant: 'final';
  /** With `redirect_uri` the request cannot be signed and travels inside the link. */
  readonly clientIdPrefix: 'decentralized_identifier' | 'redirect_uri';
  readonly responseType: 'vp_token' | 'vp_token id_token';
  readonly query: DcqlQuery;
  /** Each entry encoded, as the answers are checked against it. */
  readonly transactionData?: readonly string[];
  /** Given: the response mode is direct_post.jwt. */
  readonly encryption?: ResponseEncryptionKey;
}

export interface Draft20Request extends AnyVariant {
  readonly variant: 'draft-20';
  readonly responseType: 'vp_token' | 'vp_token id_token';
  readonly definition: PresentationDefinition;
  readonly encryption?: ResponseEncryptionKey;
}

/** These wallets neither combine tokens nor encrypt. */
export interface Draft20RedirectRequest extends AnyVariant {
  readonly variant: 'draft-20-redirect';
  readonly definition: PresentationDefinition;
}

export interface SiopRequest extends AnyVariant {
  readonly variant: 'siopv2';
}

/** What a request over the Digital Credentials API has in common with 1.0: no state, and no address of its own. */
export interface DigitalCredentialTerms extends Pick<
  FinalRequest,
  'nonce' | 'algorithms' | 'query' | 'transactionData' | 'encryption'
> {
  readonly variant: 'dc-api';
  readonly responseType: 'vp_token';
}

export type WireRequest = FinalRequest | Draft20Request | Draft20RedirectRequest | SiopRequest;

/** What the client identifier of a request follows from. */
export type ClientTerms =
  | Pick<FinalRequest, 'variant' | 'did' | 'responseUri' | 'clientIdPrefix'>
  | Pick<Draft20Request | Draft20RedirectRequest | SiopRequest, 'variant' | 'did'>;

/**
 * The whole client identifier, as in the link and in the request. It is also the only audience of what is presented:
 * with the prefix in 1.0, without one before (OpenID4VP 1.0 §14.8).
 */
export function clientIdOf(request: ClientTerms): string {
  if (request.variant !== 'final') return request.did;
  const own = request.clientIdPrefix === 'redirect_uri' ? request.responseUri : request.did;
  return `${request.clientIdPrefix}:${own}`;
}

/** OpenID4VP 1.0 §5.9.3: a wallet has no key to check a `redirect_uri` client with. */
export function isSignedRequest(request: WireRequest): boolean {
  return request.variant !== 'final' || request.clientIdPrefix === 'decentralized_identifier';
}
