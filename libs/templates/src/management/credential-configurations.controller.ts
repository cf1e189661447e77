import { type Answer, Implements, type Input, Resource } from '@app/http';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { FindCredentialConfiguration, ListCredentialConfigurations } from '../api';
import { inApiWords, type IssuableConfiguration } from '../configuration/credential-configuration';
import { credentialConfigurations } from './credential-configurations.contract';
import { ChangeCredentialConfiguration, noConfiguration } from '../configuration/credential-configurations.handlers';
import { RegisteredTypes } from '../configuration/registered-types';
import { expirationText } from '../template/expiration';
import { retentionText } from '../template/retention';

type View = Answer<typeof credentialConfigurations.get>;

@Resource(credentialConfigurations)
export class CredentialConfigurationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly registered: RegisteredTypes,
  ) {}

  @Implements(credentialConfigurations.list)
  async list(): Promise<Answer<typeof credentialConfigurations.list>> {
    const all = await this.queries.execute(new ListCredentialConfigurations());
    return { items: all.map((one) => this.viewOf(one)), nextCursor: null };
  }

  @Implements(credentialConfigurations.get)
  async get({ params: { configurationId } }: Input<typeof credentialConfigurations.get>): Promise<View> {
    const configuration = await this.queries.execute(new FindCredentialConfiguration(configurationId));
    if (!configuration) {
      throw noConfiguration(configurationId, await this.queries.execute(new ListCredentialConfigurations()));
    }
    return this.viewOf(configuration);
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

  private viewOf(configuration: IssuableConfiguration): View {
    const registered = this.registered.isRegistered(configuration);
    return { ...configurationView(configuration), ...(registered !== undefined && { registered }) };
  }
}

function configurationView(configuration: IssuableConfiguration): View {
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
