// Every text is ASCII without quotation marks and backslashes, as RFC 6749 §5.2 wants an error_description.
const MESSAGES = {
  malformed: 'the proof is not a compact JWT of strict base64url and JSON',
  'wrong-type': 'the typ header of the proof is not openid4vci-proof+jwt',
  'unsupported-algorithm': 'the alg header of the proof is not in proof_signing_alg_values_supported',
  'no-key': 'the header of the proof names no key; use kid or jwk',
  'several-keys': 'the header of the proof must have exactly one of kid, jwk and x5c',
  'private-key': 'the jwk header of the proof contains private key material',
  'unsupported-key': 'the key of the proof is not a valid P-256, P-384 or Ed25519 key',
  'unsupported-binding-method':
    'the way the proof names its key is not in cryptographic_binding_methods_supported of the configuration',
  'unresolvable-key':
    'the kid header of the proof is not a DID URL that leads to an authentication key, nor the index, kid or thumbprint of a key in its key_attestation',
  'wrong-audience': 'the aud claim of the proof is not the Credential Issuer Identifier',
  'missing-issued-at': 'the iat claim of the proof is missing or not a number',
  'too-old': 'the iat claim of the proof is too far in the past',
  'in-the-future': 'the iat or nbf claim of the proof is in the future',
  expired: 'the exp claim of the proof is in the past or not a number',
  'missing-nonce': 'the nonce claim of the proof is missing or not a string',
  'wrong-client':
    'the iss claim of the proof must be the client_id of the access token, and absent when the token is anonymous',
  'bad-signature': 'the signature of the proof does not verify with the key its header names',
  'no-proofs': 'the request has no key proof',
  'too-many-proofs': 'the request has more key proofs than batch_size allows',
  'different-nonces': 'the key proofs of one request must have the same nonce',
  'repeated-key': 'each key proof of one request must be made with a different key',
  'attestation-missing': 'the header of the proof has no key_attestation, which this credential requires',
  'attestation-malformed':
    'the key attestation is not a compact JWT with typ key-attestation+jwt and claims as specified',
  'attestation-untrusted':
    'the x5c header of the key attestation does not lead to an attester that this issuer trusts, or has expired',
  'attestation-signature': 'the signature of the key attestation does not verify with its certificate',
  'attestation-expired': 'the key attestation has expired, has no exp, or its iat or nbf claim is in the future',
  'attestation-keys':
    'the attested_keys of the key attestation must be public P-256, P-384 or Ed25519 keys, at least one and at most batch_size',
  'attestation-level':
    'the key attestation has none of the key_storage or user_authentication values that this credential requires',
  'attestation-revoked': 'the key attestation has been revoked or suspended, or its status cannot be determined',
  'attestation-status':
    'the key attestation has no status, which this issuer requires, or its key_storage_status is malformed or past its exp',
  'key-not-attested': 'the key of the proof is not among the attested_keys of its key attestation',
} as const;

export type KeyProofErrorReason = keyof typeof MESSAGES;

/** A refused proof. The message is written for wallet authors and fits an OAuth `error_description` unchanged. */
export class KeyProofError extends Error {
  override readonly name = 'KeyProofError';

  constructor(
    readonly reason: KeyProofErrorReason,
    options?: ErrorOptions,
  ) {
    super(MESSAGES[reason], options);
  }
}
