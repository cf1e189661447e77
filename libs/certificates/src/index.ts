export { CertificateFault } from './certificate-fault';
export { CertificateInstallation } from './certificate-installation';
export { CertificatesModule } from './certificates.module';
export { certificationRequest } from './certification-request';
export { type CertifiedSigner, isValidAt, warnedBefore } from './certified-signer';
export { type CertificateInUse, certificateUses, type CertificateUse, OwnCertificates } from './own-certificates';
export { covers, ownNames } from './own-names';
