import { type FinalVariant, type PrefixedClient } from './client-id';
import { type DcqlQuery } from '../dcql/dcql-query';
import { type PresentationDefinition } from './presentation-definition';
import { type VerifierInfo } from './verifier-info';

/** The public half of the key this variant's response is encrypted to (P-256 or X25519). */
export interface ResponseEncryptionKey {
  readonly kid: string;
  readonly jwk: { readonly kty: string; readonly crv: string; readonly x: string; readonly y?: string };
}

interface AnyVariant {
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

/** What is asked in the name of our DID, whose key signs the request. */
interface EarlierVariant extends AnyVariant {
  readonly did: string;
}

export interface FinalRequest extends AnyVariant {
  readonly variant: FinalVariant;
  /** With the prefix `redirect_uri` the request cannot be signed and travels inside the link. */
  readonly client: PrefixedClient;
  readonly responseType: 'vp_token' | 'vp_token id_token';
  readonly query: DcqlQuery;
  /** Each entry encoded, as the answers are checked against it. */
  readonly transactionData?: readonly string[];
  /** Given: the response mode is direct_post.jwt. */
  readonly encryption?: ResponseEncryptionKey;
  readonly verifierInfo?: readonly VerifierInfo[];
}

export interface Draft20Request extends EarlierVariant {
  readonly variant: 'draft-20';
  readonly responseType: 'vp_token' | 'vp_token id_token';
  readonly definition: PresentationDefinition;
  readonly encryption?: ResponseEncryptionKey;
}

/** These wallets neither combine tokens nor encrypt. */
export interface Draft20RedirectRequest extends EarlierVariant {
  readonly variant: 'draft-20-redirect';
  readonly definition: PresentationDefinition;
}

export interface SiopRequest extends EarlierVariant {
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
