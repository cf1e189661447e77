import { perTenant } from '@app/primitives/context';
import { Settings } from '@app/config';
import { EventStore } from '@app/event-store';
import { WALLET_URLS } from '@app/identity';
import type { WalletUrls } from '@app/openid4vc';
import { Module, OnApplicationShutdown } from '@nestjs/common';
import { endCheckThreads } from './schema/claims-check';
import {
  CarryOutPublicationHandler,
  CarryOutTemplateChangeHandler,
  FindFourEyesHandler,
} from './management/approved.handlers';
import { CredentialConfigurations, PROVISIONED } from './configuration/credential-configurations';
import { CredentialConfigurationsController } from './management/credential-configurations.controller';
import {
  ChangeCredentialConfigurationHandler,
  CheckClaimsHandler,
  ConfigurationsOfScopeHandler,
  FindCredentialConfigurationHandler,
  FindPromisedConfigurationHandler,
  GetConfigurationOfTemplateHandler,
  ListCredentialConfigurationsHandler,
} from './configuration/credential-configurations.handlers';
import { ImageTable } from './images/image-table';
import { Images } from './images/images';
import { ImageFilesEndpoint, ImagesController } from './images/images.controller';
import { readProvisionedConfigurations } from './configuration/provisioned-configurations';
import { RegisteredTypes } from './configuration/registered-types';
import { templateAggregate, TEMPLATES } from './template/template';
import { TemplateRecords } from './template/template-records';
import { TemplatesController } from './management/templates.controller';
import {
  ChangeTemplateHandler,
  CreateTemplateHandler,
  DeleteTemplateHandler,
  DuplicateTemplateHandler,
  GetTemplateHandler,
  ListTemplatesHandler,
  MoveTemplateHandler,
} from './management/templates.handlers';
import { TypeMetadataEndpoint } from './configuration/type-metadata.endpoint';
import { FindWalletInitiationHandler, MapClaimsHandler } from './configuration/wallet-initiation.handlers';

/** Files are read once, so what they describe has one version while the service runs. */
const provisionedVersion = 1;

@Module({
  controllers: [
    TemplatesController,
    CredentialConfigurationsController,
    TypeMetadataEndpoint,
    ImagesController,
    ImageFilesEndpoint,
  ],
  providers: [
    {
      provide: TEMPLATES,
      inject: [EventStore],
      useFactory: (store: EventStore) => store.repository(templateAggregate),
    },
    {
      provide: PROVISIONED,
      inject: [Settings, WALLET_URLS],
      useFactory: async (settings: Settings, urls: WalletUrls) => {
        const { sdJwtIdentifier } = settings.issuer;
        const defaultsOf = (id: string) => ({ vct: urls.vct(id, provisionedVersion), sdJwtIdentifier });
        const { path } = settings.credentialConfigurations;
        // Files are those of the issuer of the settings.
        return perTenant(await readProvisionedConfigurations(path, defaultsOf, settings), () => new Map());
      },
    },
    TemplateRecords,
    CredentialConfigurations,
    RegisteredTypes,
    ImageTable,
    Images,
    CreateTemplateHandler,
    DuplicateTemplateHandler,
    ChangeTemplateHandler,
    MoveTemplateHandler,
    CarryOutPublicationHandler,
    CarryOutTemplateChangeHandler,
    FindFourEyesHandler,
    DeleteTemplateHandler,
    GetTemplateHandler,
    ListTemplatesHandler,
    ChangeCredentialConfigurationHandler,
    GetConfigurationOfTemplateHandler,
    ConfigurationsOfScopeHandler,
    FindCredentialConfigurationHandler,
    FindPromisedConfigurationHandler,
    ListCredentialConfigurationsHandler,
    CheckClaimsHandler,
    FindWalletInitiationHandler,
    MapClaimsHandler,
  ],
})
export class TemplatesModule implements OnApplicationShutdown {
  onApplicationShutdown(): Promise<void> {
    return endCheckThreads();
  }
}
