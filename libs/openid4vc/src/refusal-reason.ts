/** Of a key proof that was read. */
const keyProofFaults = [
  'malformed',
  'wrong-type',
  'unsupported-algorithm',
  'no-key',
  'several-keys',
  'private-key',
  'unsupported-key',
  'unsupported-binding-method',
  'unresolvable-key',
  'wrong-audience',
  'missing-issued-at',
  'too-old',
  'in-the-future',
  'expired',
  'missing-nonce',
  'wrong-client',
  'bad-signature',
  'no-proofs',
  'too-many-proofs',
  'different-nonces',
  'repeated-key',
] as const;

/** Why a credential that was promised is not issued. */
const promiseFaults = [
  'template-archived',
  'template-deleted',
  'configuration-removed',
  'newer-version',
  'schema-unusable',
  'claims-open',
  'credential-missing',
  'credential-expired',
  'credential-erased',
  'credential-other-holder',
  'credential-other-keys',
  'credential-finished',
  'credential-overdue',
  'credential-denied',
] as const;

/** Of the encryption of a credential request or response; a request that is encrypted has those of a JWE as well. */
const encryptionFaults = [
  'encryption-missing',
  'encryption-in-clear',
  'encryption-malformed',
  'encryption-not-offered',
  'encryption-key-unusable',
] as const;

const responseFaults = [
  'check-failed',
  'state-missing',
  'state-wrong',
  'response-missing',
  'response-not-encrypted',
  'response-not-asked-for',
  'jwe-malformed',
  'jwe-not-as-asked',
  'jwe-other-key',
  'jwe-not-decrypted',
  'error-with-token',
  'error-malformed',
  'vp-token-missing',
  'vp-token-malformed',
  'vp-token-not-asked-for',
  'submission-missing',
  'submission-malformed',
  'id-token-missing',
  'id-token-not-asked-for',
  'wallet-metadata-malformed',
  'digital-credential-malformed',
  'protocol-not-asked-for',
  'origin-missing',
  'origin-not-expected',
] as const;

/**
 * Why a wallet was refused, as one word of a closed list: it is a label of metrics, a member of log lines and the code of a
 * mark in a timeline. Where the error code says it all, the code is the reason, see `OAuthError.reason`.
 */
export const refusalReasons = [
  // Of any body
  'wrong-content-type',
  'content-encoding',
  'body-too-large',
  'not-json',
  'not-an-object',
  'parameter-repeated',
  'parameter-too-long',
  'not-ascii',
  'simultaneous-requests',
  'other',
  // Of an offer
  'data-missing',
  'not-open',
  // Of a token request
  'grant-type-missing',
  'code-missing',
  'unknown-code',
  'code-expired',
  'code-used',
  'client-missing',
  'other-client',
  'other-wallet',
  'other-redirect-uri',
  'wrong-verifier',
  'other-key',
  'transaction-code-missing',
  'transaction-code-unexpected',
  'transaction-code-wrong',
  'transaction-codes-differ',
  'too-many-wrong-codes',
  'details-malformed',
  'details-type-wrong',
  'details-by-format',
  'configuration-not-offered',
  'not-issued',
  // Of an access token
  'token-malformed',
  'token-unknown',
  'token-expired',
  // Of a credential request
  'ids-exclusive',
  'proofs-exclusive',
  'credential-unnamed',
  'name-malformed',
  'type-missing',
  'identifier-expected',
  'proof-missing',
  'proof-malformed',
  'proof-type-count',
  'proof-type-unknown',
  'nonce-unknown',
  'nonce-used',
  ...keyProofFaults,
  ...encryptionFaults,
  ...promiseFaults,
  // Of a deferred credential request or a notification
  'transaction-id-missing',
  'notification-id-missing',
  'notification-id-malformed',
  'event-unknown',
  'event-description-malformed',
  // Of a response to an authorization request
  ...responseFaults,
] as const;

export type RefusalReason = (typeof refusalReasons)[number];
