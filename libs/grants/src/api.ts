export type { Denial, DenialReason } from './denial';
export { constantClaimsOrReason, denialReasonOf } from './denial-reason';
export { credentialsOfAuthorization, originOf } from './grant';
export type { AuthorizedData, Grant, Granted, GrantedCredential, GrantKind, GrantName } from './grant';
