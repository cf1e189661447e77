export { isIssuable, readRegistered, type RegisteredCredential } from './certificate/registered-credential';
export { faultOfTimes, readCertificate, type RegistrationCertificate } from './certificate/registration-certificate';
export { faultOfParty, identifiersOf, verifiedCertificate } from './certificate/verified-certificate';
export { OwnRegistrations } from './own-registrations';
export { RegistrationDirectory } from './sources/registration-directory';
export { RegistrationModule } from './registration.module';
export {
  storedCertificateAggregate,
  storedCertificatePublication,
  storedCertificates,
} from './sources/stored-certificate';
