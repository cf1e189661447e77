export * from './request/authorization-request';
export * from './response/authorization-response';
export * from './metadata/authorization-server-metadata';
export * from './token/bearer-token';
export * from './request/client-id';
export { RESPONSE_ENCRYPTION } from './request/client-metadata';
export { renderCodeResponse } from './authorization/code-response';
export { CREDENTIAL_SIGNING_ALGORITHMS, type CredentialSigningAlgorithm } from './wire/algorithm-names';
export { BINDING_METHODS, type BindingMethod } from './wire/binding-methods';
export {
  type ClaimDescription,
  type ClaimsPath,
  type CredentialDisplay,
  type KeyAttestationLevels,
} from './formats/configuration-members';
export * from './metadata/credential-configuration';
export {
  CREDENTIAL_ENCRYPTION,
  checkEncryptedRequest,
  type ResponseEncryption,
  undecryptableRequest,
  unusableKey,
} from './credential/credential-encryption';
export * from './offer/credential-offer';
export * from './credential/credential-request';
export * from './credential/credential-response';
export { type DcqlClaimsQuery } from './dcql/dcql-claims-query';
export { isOfQueriedType } from './dcql/dcql-credential-query';
export { type DcqlTrustedAuthorities } from './dcql/dcql-trusted-authorities';
export {
  type AskedChoice,
  type AskedCredential,
  isOfConfiguration,
  namedTypes,
  outlineOf,
  typeInMetadata,
  typesOfConfiguration,
} from './dcql/dcql-outline';
export * from './dcql/dcql-query';
export { DcqlQueryError, type DcqlViolation } from './dcql/dcql-reader';
export { dcqlIdSchema, dcqlQuerySchema } from './dcql/dcql-schema';
export * from './credential/deferred-credential';
export * from './metadata/did-document';
export { parseAccessToken } from './token/dpop/access-token-scheme';
export {
  ADVERTISED_DPOP_ALGORITHMS,
  challengeInScheme,
  DPOP_ALGORITHMS,
  dpopChallenge,
  dpopError,
  DpopFault,
  type DpopPlace,
  quotable,
  wrongProofAgain,
  wrongSchemeError,
} from './token/dpop/dpop-errors';
export * from './request/digital-credential';
export {
  type CredentialConfiguration,
  type CredentialFormatId,
  credentialFormats,
  type DcqlCredentialQuery,
  type FormatName,
  isCredentialFormat,
} from './formats/registry';
export { type JwtVcJsonConfiguration } from './formats/jwt-vc-json/issued';
export { type DcqlJwtVcQuery } from './formats/jwt-vc-json/presented';
export { type MdocConfiguration } from './formats/mdoc/issued';
export { type DcqlMdocQuery } from './formats/mdoc/presented';
export { type SdJwtVcConfiguration } from './formats/sd-jwt-vc/issued';
export { type DcqlSdJwtQuery } from './formats/sd-jwt-vc/presented';
export { type AuthorizationCodeRequest } from './token/grants/authorization-code';
export { type RefreshTokenRequest } from './token/grants/refresh-token';
export { type PreAuthorizedCodeRequest } from './token/grants/pre-authorized-code';
export * from './metadata/issuer-metadata';
export * from './metadata/jwt-vc-issuer-metadata';
export * from './credential/notification-request';
export * from './wire/oauth-error';
export { type RefusalReason } from './wire/refusal-reason';
export { proofRefusal } from './credential/proofs';
export {
  type Derivation,
  type DerivationOptions,
  derivePresentationDefinition,
  type PresentationDefinition,
} from './request/presentation-definition';
export * from './wire/public-jwk';
export { faultOfRedirectUri } from './authorization/redirect-uri';
export {
  parsePushedAuthorizationRequest,
  type PushedAuthorizationRequest,
} from './authorization/pushed-authorization-request';
export * from './credential/request-class';
export * from './request/request-link';
export * from './request/verifier-info';
export * from './request/wire-request';
export * from './request/request-object-encryption';
export * from './request/request-uri-post';
export * from './wire/request-variant';
export { parseRevocationRequest } from './token/revocation-request';
export * from './credential/select-configuration';
export * from './metadata/signed-metadata';
export { PRE_AUTHORIZED_CODE_GRANT } from './token/grants/pre-authorized-code';
export {
  describeRefusedRedemption,
  parseTokenRequest,
  type ShownForToken,
  type TokenRequest,
} from './token/token-request';
export * from './token/token-response';
export { isFormatOfHaip, vouchedBy } from './request/vp-formats';
export { type PresentationsByQueryId, type PresentedToken } from './response/vp-token';
export * from './request/transaction-data';
export { renderTypeMetadata } from './metadata/type-metadata';
export * from './metadata/wallet-urls';
export * from './response/wallet-refusal';
export { type WireObject } from './wire/wire-object';
