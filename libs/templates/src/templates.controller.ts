import { created, HttpReply, parsePageQuery } from '@app/http';
import { Problem } from '@app/problem-details';
import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { FindCredentialConfiguration, ListCredentialConfigurations } from './api';
import type { IssuableConfiguration } from './credential-configuration';
import { expirationText } from './expiration';
import type { Template } from './template';
import { CreateTemplateBody } from './template.dto';
import { CreateTemplate, GetTemplate, ListTemplates, PublishTemplate } from './templates.handlers';

@Controller('v0/templates')
export class TemplatesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  async create(@Body() body: CreateTemplateBody): Promise<HttpReply> {
    const template = await this.commands.execute(new CreateTemplate(body));
    return created(`/v0/templates/${encodeURIComponent(template.templateId)}`, templateView(template));
  }

  @Get()
  async list(@Query() query: Record<string, unknown>): Promise<unknown> {
    const status = query['status'] === undefined ? undefined : templateStatus(query['status']);
    const page = await this.queries.execute(new ListTemplates(parsePageQuery(query), status));
    return { items: page.items.map(({ state }) => templateView(state)), nextCursor: page.nextCursor };
  }

  @Get(':templateId')
  async get(@Param('templateId') templateId: string): Promise<unknown> {
    return templateView(await this.queries.execute(new GetTemplate(templateId)));
  }

  @Post(':templateId/publish')
  @HttpCode(200)
  async publish(@Param('templateId') templateId: string): Promise<unknown> {
    return templateView(await this.commands.execute(new PublishTemplate(templateId)));
  }
}

@Controller('v0/credential_configurations')
export class CredentialConfigurationsController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  async list(): Promise<unknown> {
    const all = await this.queries.execute(new ListCredentialConfigurations());
    return { items: all.map(configurationView), nextCursor: null };
  }

  @Get(':configurationId')
  async get(@Param('configurationId') configurationId: string): Promise<unknown> {
    const configuration = await this.queries.execute(new FindCredentialConfiguration(configurationId));
    if (!configuration) {
      throw new Problem(
        'no-credential-configuration-found',
        `There is no credential configuration with the id ${configurationId}.`,
      );
    }
    return configurationView(configuration);
  }
}

function templateStatus(text: unknown): Template['status'] {
  if (text === 'Draft' || text === 'Published') return text;
  throw new Problem('validation-failed', 'The query has a fault: status must be Draft or Published.', [
    { pointer: '/status', message: 'must be Draft or Published' },
  ]);
}

function templateView({ templateId, status, content, contentVersion }: Template): unknown {
  const { types, expiration, ...rest } = content;
  return {
    templateId,
    status,
    version: contentVersion,
    ...rest,
    ...(types && { type: types }),
    expiration: expirationText(expiration),
  };
}

function configurationView(configuration: IssuableConfiguration): unknown {
  const { types, expiration, claims: _derived, ...rest } = configuration;
  return { ...rest, ...(types && { type: types }), expiration: expirationText(expiration) };
}
