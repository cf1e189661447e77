export { IdentityModule } from './identity.module';
export { ServiceIdentity, type SigningIdentity } from './service-identity';
