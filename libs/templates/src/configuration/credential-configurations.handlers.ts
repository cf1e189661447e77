import { whenThere } from '@app/primitives/awaitable';
import { meant } from '@app/primitives/json';
import { concerning, Problem } from '@app/primitives/problems';
import { Command, CommandHandler, ICommandHandler, IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import {
  CheckClaims,
  ConfigurationsOfScope,
  FindCredentialConfiguration,
  FindPromisedConfiguration,
  GetConfigurationOfTemplate,
  ListCredentialConfigurations,
  type PromisedConfiguration,
} from '../api';
import type { IssuableConfiguration } from './credential-configuration';
import { CredentialConfigurations } from './credential-configurations';
import { violationsOf } from '../schema/json-schema';
import { TemplateRecords } from '../template/template-records';

/** An attempt on a configuration itself. None of them can be changed here: files or templates say what they are. */
export class ChangeCredentialConfiguration extends Command<never> {
  constructor(
    readonly configurationId: string,
    readonly attempt: 'update' | 'remove',
  ) {
    super();
  }
}

@CommandHandler(ChangeCredentialConfiguration)
export class ChangeCredentialConfigurationHandler implements ICommandHandler<ChangeCredentialConfiguration> {
  constructor(private readonly configurations: CredentialConfigurations) {}

  async execute({ configurationId, attempt }: ChangeCredentialConfiguration): Promise<never> {
    const configuration = await this.configurations.find(configurationId);
    if (!configuration) throw noConfiguration(configurationId, await this.configurations.all());
    if (configuration.origin === 'template') {
      throw new Problem('managed-by-template', `The configuration follows the template ${configurationId}.`);
    }
    throw new Problem(
      `${attempt}-provisioned-credential-configuration`,
      `A file of this installation defines ${configurationId}; it is read at startup.`,
    );
  }
}

@QueryHandler(GetConfigurationOfTemplate)
export class GetConfigurationOfTemplateHandler implements IQueryHandler<GetConfigurationOfTemplate> {
  constructor(
    private readonly records: TemplateRecords,
    private readonly configurations: CredentialConfigurations,
  ) {}

  execute({ templateId }: GetConfigurationOfTemplate): Promise<IssuableConfiguration> {
    const configuration = whenThere(this.configurations.findOfTemplate(templateId), (found) =>
      found.status === 'issuable' ? found.configuration : this.refused(templateId),
    );
    return Promise.resolve(configuration);
  }

  /** Throws the problem of a template that is not issued, or of none. */
  private async refused(templateId: string): Promise<IssuableConfiguration> {
    const { template } = await this.records.find(templateId);
    return concerning({ template: templateId, schemaVersion: template.contentVersion }, () => {
      if (template.status !== 'Published') {
        throw new Problem('template-not-published', `The template ${templateId} is ${template.status}.`);
      }
      return this.configurations.ofTemplate(template);
    });
  }
}

@QueryHandler(FindCredentialConfiguration)
export class FindCredentialConfigurationHandler implements IQueryHandler<FindCredentialConfiguration> {
  constructor(private readonly configurations: CredentialConfigurations) {}

  execute({ configurationId }: FindCredentialConfiguration): Promise<IssuableConfiguration | undefined> {
    return Promise.resolve(this.configurations.find(configurationId));
  }
}

@QueryHandler(FindPromisedConfiguration)
export class FindPromisedConfigurationHandler implements IQueryHandler<FindPromisedConfiguration> {
  constructor(private readonly configurations: CredentialConfigurations) {}

  execute({ configurationId }: FindPromisedConfiguration): Promise<PromisedConfiguration> {
    return Promise.resolve(this.configurations.findPromised(configurationId));
  }
}

@QueryHandler(ListCredentialConfigurations)
export class ListCredentialConfigurationsHandler implements IQueryHandler<ListCredentialConfigurations> {
  constructor(private readonly configurations: CredentialConfigurations) {}

  execute(): Promise<readonly IssuableConfiguration[]> {
    return Promise.resolve(this.configurations.all());
  }
}

@QueryHandler(ConfigurationsOfScope)
export class ConfigurationsOfScopeHandler implements IQueryHandler<ConfigurationsOfScope> {
  constructor(private readonly configurations: CredentialConfigurations) {}

  execute({ scopes }: ConfigurationsOfScope): Promise<readonly string[]> {
    const ofScopes = whenThere(this.configurations.all(), (all) =>
      all.filter(({ scope }) => scopes.includes(scope)).map(({ id }) => id),
    );
    return Promise.resolve(ofScopes);
  }
}

@QueryHandler(CheckClaims)
export class CheckClaimsHandler implements IQueryHandler<CheckClaims> {
  execute({ rule, claims, pointer, time }: CheckClaims) {
    return Promise.resolve(violationsOf(rule, claims, pointer, time));
  }
}

/** @param known one of which may have been meant */
export function noConfiguration(configurationId: string, known: readonly { readonly id: string }[] = []): Problem {
  const question = meant(
    configurationId,
    known.map(({ id }) => id),
  );
  return new Problem(
    'no-credential-configuration-found',
    `There is no credential configuration with the id ${configurationId}${question || '.'}`,
  );
}
