import type { JwsAlgorithm } from './jws';
import type { PublicJwk } from './public-jwk';
import type { VerificationRelationship } from './did';

/** Ways a wallet may name its key, in the words of `cryptographic_binding_methods_supported`. */
export type BindingMethod = 'jwk' | 'did:jwk' | 'did:key' | 'did:web';

/** The key a credential is bound to; `did` and `keyId` (absolute DID URL) when the wallet named it by DID. */
export type Holder = { readonly jwk: PublicJwk; readonly did?: string; readonly keyId?: string };

export type KeyProofPolicy = {
  /** The Credential Issuer Identifier, exactly as published. */
  readonly credentialIssuer: string;
  /** `proof_signing_alg_values_supported` of the configuration. */
  readonly algorithms: readonly JwsAlgorithm[];
  readonly bindingMethods: readonly BindingMethod[];
  /** The client id of the access token; absent when the token is anonymous. */
  readonly clientId?: string;
  /** Tolerates the two spellings of older wallets: `aud` with one trailing slash, a DID as `iss` of an anonymous proof. */
  readonly legacy: boolean;
  /** How old a proof may be: the lifetime of a nonce. 60 s of clock skew are added on both sides. */
  readonly maxAgeSeconds: number;
  /** The largest number of proofs in one request (`batch_size`; 1 where batches are not advertised). */
  readonly maxProofs: number;
  readonly now: Date;
  readonly dids: { resolveKey(didUrl: string, relationship: VerificationRelationship): Promise<PublicJwk> };
};

export type VerifiedKeyProof = { readonly nonce: string; readonly holder: Holder; readonly thumbprint: string };
export type VerifiedKeyProofs = { readonly nonce: string; readonly proofs: readonly VerifiedKeyProof[] };

export type KeyProofErrorReason =
  | 'malformed'
  | 'wrong-type'
  | 'unsupported-algorithm'
  | 'no-key'
  | 'several-keys'
  | 'private-key'
  | 'unsupported-key'
  | 'unsupported-binding-method'
  | 'unresolvable-key'
  | 'wrong-audience'
  | 'missing-issued-at'
  | 'too-old'
  | 'in-the-future'
  | 'expired'
  | 'missing-nonce'
  | 'wrong-client'
  | 'bad-signature'
  | 'no-proofs'
  | 'too-many-proofs'
  | 'different-nonces'
  | 'repeated-key';

/** A refused proof; the message is written for wallet authors and fits an OAuth `error_description` as it is. */
export class KeyProofError extends Error {
  override readonly name = 'KeyProofError';

  constructor(
    readonly reason: KeyProofErrorReason,
    message: string,
  ) {
    super(message);
  }
}

/** Verifies one `jwt` key proof. The nonce is returned for the caller to judge. Throws `KeyProofError`. */
export function verifyKeyProof(_jwt: string, _policy: KeyProofPolicy): Promise<VerifiedKeyProof> {
  throw new Error('not built yet');
}

/** Verifies all proofs of one request: distinct keys, one shared nonce, all or nothing. Throws `KeyProofError`. */
export function verifyKeyProofs(_jwts: readonly string[], _policy: KeyProofPolicy): Promise<VerifiedKeyProofs> {
  throw new Error('not built yet');
}
