import { Described } from '@app/openapi';
import { RequiresScope } from '@app/web';
import { Controller, Delete, Get, Param, Patch, Put } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { FindCredentialConfiguration, ListCredentialConfigurations } from './api';
import { inApiWords, type IssuableConfiguration } from './credential-configuration';
import { ChangeCredentialConfiguration, noConfiguration } from './credential-configurations.handlers';
import { expirationText } from './expiration';
import { credentialConfigurationsDescription } from './credential-configurations.openapi';

@Controller('v0/credential_configurations')
@Described(credentialConfigurationsDescription)
export class CredentialConfigurationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @RequiresScope('templates:read')
  async list(): Promise<unknown> {
    const all = await this.queries.execute(new ListCredentialConfigurations());
    return { items: all.map(configurationView), nextCursor: null };
  }

  @Get(':configurationId')
  @RequiresScope('templates:read')
  async get(@Param('configurationId') configurationId: string): Promise<unknown> {
    const configuration = await this.queries.execute(new FindCredentialConfiguration(configurationId));
    if (!configuration) throw noConfiguration(configurationId);
    return configurationView(configuration);
  }

  // The body is of no interest: whatever it says, the answer is a refusal with its reason.
  @Put(':configurationId')
  @RequiresScope('templates:write')
  replace(@Param('configurationId') configurationId: string): Promise<never> {
    return this.commands.execute(new ChangeCredentialConfiguration(configurationId, 'update'));
  }

  @Patch(':configurationId')
  @RequiresScope('templates:write')
  change(@Param('configurationId') configurationId: string): Promise<never> {
    return this.commands.execute(new ChangeCredentialConfiguration(configurationId, 'update'));
  }

  @Delete(':configurationId')
  @RequiresScope('templates:write')
  remove(@Param('configurationId') configurationId: string): Promise<never> {
    return this.commands.execute(new ChangeCredentialConfiguration(configurationId, 'remove'));
  }
}

function configurationView(configuration: IssuableConfiguration): unknown {
  const { expiration, claims: _derived, contentVersion: _internal, ...rest } = configuration;
  return { ...inApiWords(rest), expiration: expirationText(expiration) };
}
