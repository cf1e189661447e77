export type { Denial, DenialReason } from './denial';
export { constantClaimsOrReason, denialReasonOf } from './denial-reason';
export type { Grant, Granted, GrantedCredential, GrantKind, GrantName } from './grant';
