export { AttestationStatuses, AttestationStatusFault } from './attestation-statuses';
export { CertificateFault } from './certificate-fault';
export { IdentityModule } from './identity.module';
export { guardedFetch, mostKeyBytes } from './guarded-fetch';
export { IssuerDirectory } from './issuer-directory';
export { ServiceIdentity, type SigningIdentity } from './service-identity';
export { WALLET_URLS } from './wallet-urls.token';
export { CertificateInstallation } from './certificates/certificate-installation';
export { CertificatesModule } from './certificates/certificates.module';
export { certificationRequest } from './certificates/certification-request';
export { type CertifiedSigner, isValidAt, warnedBefore } from './certificates/certified-signer';
export {
  type CertificateInUse,
  certificateUses,
  type CertificateUse,
  OwnCertificates,
} from './certificates/own-certificates';
export { covers, ownNames } from './certificates/own-names';
export { type TrustAnchor, type TrustPurpose, trustPurposes } from './trust/trust-anchor';
export { TrustAnchors, type TrustState } from './trust/trust-anchors';
export { TrustLists } from './trust/trust-lists';
export { TrustModule } from './trust/trust.module';
