export { CertificatesModule } from './certificates.module';
export type { CertifiedSigner } from './certified-signer';
export { certificateUses, type CertificateUse, OwnCertificates } from './own-certificates';
