export {
  type JsonObject,
  type JsonValue,
  parseStrictJson,
  parseStrictJsonObject,
  StrictJsonError,
} from './strict-json';
export { decodeBase64Url, encodeBase64Url, isBase64Url } from './strict-base64url';
export { equalJwks, parsePublicJwk, type PublicJwk, PublicJwkError, thumbprint } from './public-jwk';
export {
  type DecodedJws,
  decodeJws,
  JWS_ALGORITHMS,
  type JwsAlgorithm,
  JwsError,
  type JwsErrorReason,
  type JwsLimits,
  type SignJws,
  verifyJws,
} from './jws';
export {
  DID_DOCUMENT_TYPES,
  DidError,
  type DidErrorReason,
  DidResolver,
  type DidResolverOptions,
  didJwk,
  type FetchDocument,
} from './did';
export { type DidDocument, type VerificationMethod, type VerificationRelationship } from './did-document';
export {
  type BindingMethod,
  type Holder,
  type KeyProofPolicy,
  type VerifiedKeyProof,
  type VerifiedKeyProofs,
  verifyKeyProof,
  verifyKeyProofs,
} from './key-proof';
export { KeyProofError, type KeyProofErrorReason } from './key-proof-error';
export { assertIssuableClaims, ClaimsError, type ClaimsErrorReason } from './claims';
export { buildJwtVcJson, type JwtVcJsonInput, type StatusListReference } from './jwt-vc-json';
export { assertDisclosurePointers } from './disclosure-pointers';
export { buildSdJwtVc, type SdJwtVcInput, type SelectivelyDisclosable } from './sd-jwt-vc';
