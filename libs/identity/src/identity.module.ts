import { Global, Module } from '@nestjs/common';
import { ServiceIdentity } from './service-identity';

/** Global: provides `ServiceIdentity`. */
@Global()
@Module({ providers: [ServiceIdentity], exports: [ServiceIdentity] })
export class IdentityModule {}
