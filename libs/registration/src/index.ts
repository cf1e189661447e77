export { isIssuable, readRegistered, type RegisteredCredential } from './certificate/registered-credential';
export { faultOfTimes, readCertificate, type RegistrationCertificate } from './certificate/registration-certificate';
export { faultOfParty, verifiedCertificate } from './certificate/verified-certificate';
export { mostStored } from './held-registrations';
export { OwnRegistrations } from './own-registrations';
export { RegistrationDirectory } from './sources/registration-directory';
export { RegistrationModule } from './registration.module';
export { storedCertificateAggregate, storedCertificatePublication } from './sources/stored-certificate';
