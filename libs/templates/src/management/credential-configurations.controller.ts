import { type Answer, Implements, type Input, Resource } from '@app/http';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { FindCredentialConfiguration, ListCredentialConfigurations } from '../api';
import { inApiWords, type IssuableConfiguration } from '../configuration/credential-configuration';
import { credentialConfigurations } from './credential-configurations.contract';
import { ChangeCredentialConfiguration, noConfiguration } from '../configuration/credential-configurations.handlers';
import { expirationText } from '../template/expiration';
import { retentionText } from '../template/retention';

@Resource(credentialConfigurations)
export class CredentialConfigurationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Implements(credentialConfigurations.list)
  async list(): Promise<Answer<typeof credentialConfigurations.list>> {
    const all = await this.queries.execute(new ListCredentialConfigurations());
    return { items: all.map(configurationView), nextCursor: null };
  }

  @Implements(credentialConfigurations.get)
  async get({
    params: { configurationId },
  }: Input<typeof credentialConfigurations.get>): Promise<Answer<typeof credentialConfigurations.get>> {
    const configuration = await this.queries.execute(new FindCredentialConfiguration(configurationId));
    if (!configuration) {
      throw noConfiguration(configurationId, await this.queries.execute(new ListCredentialConfigurations()));
    }
    return configurationView(configuration);
  }

  // The request is always rejected, whatever the body.
  @Implements(credentialConfigurations.replace)
  replace({ params: { configurationId } }: Input<typeof credentialConfigurations.replace>): Promise<never> {
    return this.commands.execute(new ChangeCredentialConfiguration(configurationId, 'update'));
  }

  @Implements(credentialConfigurations.change)
  change({ params: { configurationId } }: Input<typeof credentialConfigurations.change>): Promise<never> {
    return this.commands.execute(new ChangeCredentialConfiguration(configurationId, 'update'));
  }

  @Implements(credentialConfigurations.remove)
  remove({ params: { configurationId } }: Input<typeof credentialConfigurations.remove>): Promise<never> {
    return this.commands.execute(new ChangeCredentialConfiguration(configurationId, 'remove'));
  }
}

function configurationView(configuration: IssuableConfiguration): Answer<typeof credentialConfigurations.get> {
  const {
    expiration,
    retention,
    claimSources,
    claims: _derived,
    contentVersion: _internal,
    isIssuerDefault: _default,
    ...rest
  } = configuration;
  return {
    ...inApiWords(rest),
    ...(claimSources && { claims: claimSources }),
    expiration: expirationText(expiration),
    retention: retentionText(retention),
  };
}
