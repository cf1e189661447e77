import { Settings } from '@app/config';
import { CertificateKeys } from '@app/keys';
import { Global, Module } from '@nestjs/common';
import { makeDevelopmentCertificates } from './development-certificates';
import { DevelopmentRootEndpoint } from './development-root.endpoint';
import { OwnCertificates } from './own-certificates';

/** Global: the certificates of this service. The development profile has its own from the first start on. */
@Global()
@Module({
  controllers: [DevelopmentRootEndpoint],
  providers: [
    {
      provide: OwnCertificates,
      inject: [CertificateKeys, Settings],
      useFactory: async (keys: CertificateKeys, { profile, applicationUrl }: Settings) => {
        const isDevelopment = profile === 'development';
        if (isDevelopment) await makeDevelopmentCertificates(keys, applicationUrl, new Date());
        return new OwnCertificates(keys, isDevelopment);
      },
    },
  ],
  exports: [OwnCertificates],
})
export class CertificatesModule {}
