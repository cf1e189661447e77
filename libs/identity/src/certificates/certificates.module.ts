import { Settings } from '@app/config';
import { CertificateKeys, KeyRing } from '@app/keys';
import { Metrics } from '@app/observability';
import { Tenants } from '@app/primitives/context';
import { Global, Module } from '@nestjs/common';
import { CertificateInstallation } from './certificate-installation';
import { makeDevelopmentCertificates } from './development-certificates';
import { DevelopmentRootEndpoint } from './development-root.endpoint';
import { OwnCertificates } from './own-certificates';
import { ownNames } from './own-names';
import { installProvided } from './provided-certificate';

/** Global: the certificates of this service. The development profile has its own from the first start on. */
@Global()
@Module({
  controllers: [DevelopmentRootEndpoint],
  providers: [
    {
      provide: OwnCertificates,
      inject: [CertificateKeys, KeyRing, Settings, Metrics, Tenants],
      useFactory: async (
        keys: CertificateKeys,
        ring: KeyRing,
        settings: Settings,
        metrics: Metrics,
        tenants: Tenants,
      ) => {
        const { profile, applicationUrl, certificates } = settings;
        const now = new Date();
        const names = ownNames(applicationUrl);
        const installation = new CertificateInstallation(ring, keys, names, certificates.profile);
        await installProvided(installation, certificates, now);
        const open = async (): Promise<OwnCertificates> =>
          profile === 'development'
            ? new OwnCertificates(
                keys,
                ring,
                await makeDevelopmentCertificates(keys, ring, settings.applicationUrl, new Date()),
              )
            : new OwnCertificates(keys, ring);
        const own = tenants.opened(await open(), open);
        metrics.readCertificates(() => own.inUse(new Date()));
        keys.observe((algorithm, seconds) => {
          metrics.signed(algorithm, seconds);
        });
        keys.observeProviders((signer, algorithm, outcome, seconds) => {
          metrics.signerAsked(signer, algorithm, outcome, seconds);
        });
        return own;
      },
    },
  ],
  exports: [OwnCertificates],
})
export class CertificatesModule {}
