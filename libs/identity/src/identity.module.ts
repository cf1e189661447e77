import { Global, Module } from '@nestjs/common';
import { IssuerDirectory } from './issuer-directory';
import { ServiceIdentity } from './service-identity';

/** Global: in whose name this service signs, and where the keys of issuers are. */
@Global()
@Module({ providers: [ServiceIdentity, IssuerDirectory], exports: [ServiceIdentity, IssuerDirectory] })
export class IdentityModule {}
