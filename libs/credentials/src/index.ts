export {
  DID_DOCUMENT_TYPES,
  DidError,
  type DidErrorReason,
  DidResolver,
  type DidResolverOptions,
  didJwk,
  type FetchDocument,
  keyInDid,
} from './issuers/did';
export { FetchPostponed } from './issuers/fetch-postponed';
export { type DidDocument, type VerificationMethod, type VerificationRelationship } from './issuers/did-document';
export {
  type Holder,
  type KeyProofPolicy,
  type VerifiedKeyProof,
  type VerifiedKeyProofs,
  verifyKeyProof,
  verifyKeyProofs,
} from './key-proof/key-proof';
export {
  type AttestationLevels,
  type AttestedBy,
  type KeyAttestationPolicy,
  type VerifiedKeyAttestation,
  verifyKeyAttestation,
} from './key-proof/key-attestation';
export { KeyProofError, type KeyProofErrorReason } from './key-proof/key-proof-error';
export { assertIssuableClaims, ClaimsError, type ClaimsErrorReason } from './presentation/claims';
export { assertDisclosurePointers } from './formats/sd-jwt-vc/disclosure-pointers';
export {
  type PresentationCheck,
  type CheckedResult,
  type CheckName,
  Refusal,
  refusedStatuses,
  type RefusedStatus,
  refusalReason,
  StatusRefusal,
} from './presentation-check';
export { verifyPresentation } from './presentation-verifier';
export {
  type AcceptedType,
  type IsTrusted,
  type PresentationPolicy,
  type PresentationResult,
  type PresentedAnchor,
  type PresentedHolder,
  type Trust,
  type VerifiedCredential,
} from './presentation/verified-credential';
export {
  type PresentedDocumentSigner,
  presentedSigner,
  type IssuerKey,
  IssuerKeys,
  type IssuerKeysOptions,
} from './issuers/issuer-keys';
export { checkSignature, findKeyOf, type IssuedCredential } from './presentation/issued-credential';
export { readIssuedCredential } from './issued-credential-reader';
export { type FetchForVerifier } from './issuers/jwt-vc-issuer';
export type { TypeInheritance } from './presentation/type-inheritance';
export {
  type AcceptedStatus,
  type OwnStatuses,
  type StatedStatus,
  StatusChecker,
  type StatusCheckerOptions,
} from './status/status-check';
export { CWT_CLAIM, STATUS_LIST_CWT } from './status/status-token';
export {
  decodeStatusList,
  encodeStatusList,
  newStatusList,
  type OwnStatusReference,
  setStatus,
  type StatusBits,
  type StatusBitsList,
  statusAt,
} from './status/status-list';
export { type SignerOfList } from './status/status-lists';
export { type ExpectedIdToken, type IdTokenSubject, verifyIdToken } from './presentation/siop-id-token';
export {
  type DcqlCredentialSets,
  matchCredential,
  type MatchableCredential,
  type MatchFault,
  satisfiesCredentialSets,
} from './presentation/dcql-match';
export { isAbsoluteUri } from './presentation/absolute-uri';
export {
  attributeOf,
  type CertifiedPlace,
  isIssuedBy,
  partyIdentifier,
  placeOf,
  publicJwkOf,
  subjectOf,
} from './x509/x509-certificate';
export { type DerElement, inside, readDer } from './x509/der';
export { extensionsIn, readX509Extensions } from './x509/x509-extensions';
export { type IssueTerms, type UnsignedContent } from './formats/credential-format';
export { type DescriptionDefaults, type OwnMembers } from './formats/description';
export { badgeTypes } from './formats/jwt-vc-json/description';
export {
  assertIssuable,
  credentialFormat,
  type DataModel,
  dataModels,
  type DescribedType,
  formats,
  type GivenType,
  typeInheritance,
} from './formats/registry';
export {
  authoritiesInOwnChain,
  type ChainAnchor,
  type VerifiedChain,
  verifyCertificateChain,
  verifyCertificatePath,
} from './x509/x509-chain';
export { areTrustedTypes } from './issuers/trusted-types';
export type { KeyUse } from './issuers/certified-keys';
export type { ExpectedPresentation, ExpectedTransactionData, PresentedTo } from './presentation/expected-presentation';
