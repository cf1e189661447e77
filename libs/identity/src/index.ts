export { IdentityModule } from './identity.module';
export { IssuerDirectory } from './issuer-directory';
export { ServiceIdentity, type SigningIdentity } from './service-identity';
