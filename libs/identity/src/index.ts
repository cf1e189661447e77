export { AttestationStatuses, AttestationStatusFault } from './attestation-statuses';
export { IdentityModule } from './identity.module';
export { guardedFetch, mostKeyBytes } from './guarded-fetch';
export { IssuerDirectory } from './issuer-directory';
export { ServiceIdentity, type SigningIdentity } from './service-identity';
export { WALLET_URLS } from './wallet-urls.token';
