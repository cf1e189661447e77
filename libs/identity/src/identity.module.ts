import { Settings } from '@app/config';
import { walletUrls } from '@app/openid4vc';
import { perTenant } from '@app/primitives/context';
import { Global, Module } from '@nestjs/common';
import { AttestationStatuses } from './attestation-statuses';
import { IssuerDirectory } from './issuer-directory';
import { ServiceIdentity } from './service-identity';
import { WALLET_URLS } from './wallet-urls.token';

/** Global: under which addresses and in whose name this service issues, and where the keys of issuers are. */
@Global()
@Module({
  providers: [
    ServiceIdentity,
    IssuerDirectory,
    AttestationStatuses,
    {
      provide: WALLET_URLS,
      inject: [Settings],
      useFactory: (settings: Settings) =>
        perTenant(walletUrls(settings.applicationUrl), () => walletUrls(settings.applicationUrl)),
    },
  ],
  exports: [ServiceIdentity, IssuerDirectory, AttestationStatuses, WALLET_URLS],
})
export class IdentityModule {}
