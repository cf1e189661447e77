import { Settings } from '@app/config';
import { EventStore } from '@app/event-store';
import { WALLET_URLS } from '@app/identity';
import type { WalletUrls } from '@app/openid4vc';
import { Module, OnApplicationShutdown } from '@nestjs/common';
import { endCheckThreads } from './claims-check';
import { CredentialConfigurations, PROVISIONED } from './credential-configurations';
import { CredentialConfigurationsController } from './credential-configurations.controller';
import {
  ChangeCredentialConfigurationHandler,
  CheckClaimsHandler,
  ConfigurationsOfScopeHandler,
  FindCredentialConfigurationHandler,
  FindPromisedConfigurationHandler,
  GetConfigurationOfTemplateHandler,
  ListCredentialConfigurationsHandler,
} from './credential-configurations.handlers';
import { readProvisionedConfigurations } from './provisioned-configurations';
import { templateAggregate, TEMPLATES } from './template';
import { TemplateRecords } from './template-records';
import { TemplatesController } from './templates.controller';
import {
  ChangeTemplateHandler,
  CreateTemplateHandler,
  DeleteTemplateHandler,
  DuplicateTemplateHandler,
  GetTemplateHandler,
  ListTemplatesHandler,
  MoveTemplateHandler,
} from './templates.handlers';
import { TypeMetadataEndpoint } from './type-metadata.endpoint';
import { FindWalletInitiationHandler, MapClaimsHandler } from './wallet-initiation.handlers';

/** Files are read once, so what they describe has one version while the service runs. */
const provisionedVersion = 1;

@Module({
  controllers: [TemplatesController, CredentialConfigurationsController, TypeMetadataEndpoint],
  providers: [
    {
      provide: TEMPLATES,
      inject: [EventStore],
      useFactory: (store: EventStore) => store.repository(templateAggregate),
    },
    {
      provide: PROVISIONED,
      inject: [Settings, WALLET_URLS],
      useFactory: (settings: Settings, urls: WalletUrls) => {
        const { sdJwtIdentifier } = settings.issuer;
        const defaultsOf = (id: string) => ({ vct: urls.vct(id, provisionedVersion), sdJwtIdentifier });
        return readProvisionedConfigurations(settings.credentialConfigurations.path, defaultsOf, settings);
      },
    },
    TemplateRecords,
    CredentialConfigurations,
    CreateTemplateHandler,
    DuplicateTemplateHandler,
    ChangeTemplateHandler,
    MoveTemplateHandler,
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
