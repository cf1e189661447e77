import { EventStore } from '@app/event-store';
import { Module } from '@nestjs/common';
import { CredentialConfigurations } from './credential-configurations';
import { templateAggregate, TEMPLATES } from './template';
import { CredentialConfigurationsController, TemplatesController } from './templates.controller';
import {
  CheckClaimsHandler,
  CreateTemplateHandler,
  FindCredentialConfigurationHandler,
  GetConfigurationOfTemplateHandler,
  GetTemplateHandler,
  ListCredentialConfigurationsHandler,
  ListTemplatesHandler,
  PublishTemplateHandler,
} from './templates.handlers';
import { TypeMetadataEndpoint } from './type-metadata.endpoint';

@Module({
  controllers: [TemplatesController, CredentialConfigurationsController, TypeMetadataEndpoint],
  providers: [
    {
      provide: TEMPLATES,
      inject: [EventStore],
      useFactory: (store: EventStore) => store.repository(templateAggregate),
    },
    CredentialConfigurations,
    CreateTemplateHandler,
    PublishTemplateHandler,
    GetTemplateHandler,
    ListTemplatesHandler,
    GetConfigurationOfTemplateHandler,
    FindCredentialConfigurationHandler,
    ListCredentialConfigurationsHandler,
    CheckClaimsHandler,
  ],
})
export class TemplatesModule {}
