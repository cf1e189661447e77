export * from './authorization-request';
export * from './authorization-response';
export * from './authorization-server-metadata';
export * from './bearer-token';
export * from './client-id';
export { RESPONSE_ENCRYPTION } from './client-metadata';
export { renderCodeResponse } from './code-response';
export { CREDENTIAL_SIGNING_ALGORITHMS, type CredentialSigningAlgorithm } from './algorithm-names';
export { BINDING_METHODS, type BindingMethod } from './binding-methods';
export {
  type ClaimDescription,
  type ClaimsPath,
  type CredentialDisplay,
  type KeyAttestationLevels,
} from './configuration-members';
export * from './credential-configuration';
export {
  CREDENTIAL_ENCRYPTION,
  checkEncryptedRequest,
  type ResponseEncryption,
  undecryptableRequest,
  unusableKey,
} from './credential-encryption';
export * from './credential-offer';
export * from './credential-request';
export * from './credential-response';
export { type DcqlClaimsQuery } from './dcql-claims-query';
export { isOfQueriedType } from './dcql-credential-query';
export { type DcqlTrustedAuthorities } from './dcql-trusted-authorities';
export { type AskedChoice, type AskedCredential, isOfConfiguration, outlineOf } from './dcql-outline';
export * from './dcql-query';
export { DcqlQueryError, type DcqlViolation } from './dcql-reader';
export { dcqlIdSchema, dcqlQuerySchema } from './dcql-schema';
export * from './deferred-credential';
export * from './did-document';
export { parseAccessToken } from './dpop/access-token-scheme';
export {
  ADVERTISED_DPOP_ALGORITHMS,
  DPOP_ALGORITHMS,
  dpopChallenge,
  dpopError,
  DpopFault,
  type DpopPlace,
  quotable,
  wrongProofAgain,
  wrongSchemeError,
} from './dpop/dpop-errors';
export * from './digital-credential';
export {
  type CredentialConfiguration,
  type CredentialFormatId,
  credentialFormats,
  type DcqlCredentialQuery,
  type FormatName,
  isCredentialFormat,
} from './formats/registry';
export { type DcqlJwtVcQuery } from './formats/jwt-vc-json/presented';
export { type DcqlSdJwtQuery } from './formats/sd-jwt-vc/presented';
export { type AuthorizationCodeRequest } from './grants/authorization-code';
export { type RefreshTokenRequest } from './grants/refresh-token';
export { type PreAuthorizedCodeRequest } from './grants/pre-authorized-code';
export * from './issuer-metadata';
export * from './jwt-vc-issuer-metadata';
export * from './notification-request';
export * from './oauth-error';
export { type RefusalReason } from './refusal-reason';
export { proofRefusal } from './proofs';
export {
  type Derivation,
  type DerivationOptions,
  derivePresentationDefinition,
  type PresentationDefinition,
} from './presentation-definition';
export * from './public-jwk';
export { faultOfRedirectUri } from './redirect-uri';
export { parsePushedAuthorizationRequest, type PushedAuthorizationRequest } from './pushed-authorization-request';
export * from './request-class';
export * from './request-link';
export * from './verifier-info';
export * from './wire-request';
export * from './request-object-encryption';
export * from './request-uri-post';
export * from './request-variant';
export { parseRevocationRequest } from './revocation-request';
export * from './select-configuration';
export * from './signed-metadata';
export { PRE_AUTHORIZED_CODE_GRANT } from './grants/pre-authorized-code';
export { describeRefusedRedemption, parseTokenRequest, type ShownForToken, type TokenRequest } from './token-request';
export * from './token-response';
export { isFormatOfHaip } from './vp-formats';
export { type PresentationsByQueryId, type PresentedToken } from './vp-token';
export * from './transaction-data';
export { renderTypeMetadata } from './type-metadata';
export * from './wallet-urls';
export * from './wallet-refusal';
export { type WireObject } from './wire-object';
