import { entityTag, Idempotent, parseChoice, parseIfMatch, parsePageQuery } from '@app/http';
import { Described } from '@app/openapi';
import { created, HttpReply, RequiresScope } from '@app/web';
import { Body, Controller, Delete, Get, Headers, Param, Patch, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { inApiWords } from './credential-configuration';
import { expirationText } from './expiration';
import { type LiveTemplate, templateStatuses } from './template';
import {
  ChangeTemplateBody,
  CreateTemplateBody,
  DuplicateTemplateBody,
  templateChangeOf,
  templateInputOf,
} from './template.dto';
import type { StoredTemplate } from './template-records';
import {
  ChangeTemplate,
  CreateTemplate,
  DeleteTemplate,
  DuplicateTemplate,
  GetTemplate,
  ListTemplates,
  MoveTemplate,
} from './templates.handlers';
import { templatesDescription } from './templates.openapi';

@Controller('v0/templates')
@Described(templatesDescription)
export class TemplatesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @RequiresScope('templates:write')
  @Idempotent()
  async create(@Body() body: CreateTemplateBody): Promise<HttpReply> {
    return createdReply(
      await this.commands.execute(new CreateTemplate(body.templateId, templateInputOf(body), body.status ?? 'Draft')),
    );
  }

  @Get()
  @RequiresScope('templates:read')
  async list(@Query() query: Record<string, unknown>): Promise<unknown> {
    const status = parseChoice(query, 'status', templateStatuses);
    const page = await this.queries.execute(new ListTemplates(parsePageQuery(query), status));
    return { items: page.items.map(templateView), nextCursor: page.nextCursor };
  }

  @Get(':templateId')
  @RequiresScope('templates:read')
  async get(@Param('templateId') templateId: string): Promise<HttpReply> {
    return reply(await this.queries.execute(new GetTemplate(templateId)));
  }

  @Patch(':templateId')
  @RequiresScope('templates:write')
  async change(
    @Param('templateId') templateId: string,
    @Body() body: ChangeTemplateBody,
    @Headers('if-match') ifMatch?: string,
  ): Promise<HttpReply> {
    return reply(
      await this.commands.execute(new ChangeTemplate(templateId, templateChangeOf(body), parseIfMatch(ifMatch))),
    );
  }

  @Post(':templateId/publish')
  @RequiresScope('templates:write')
  async publish(@Param('templateId') templateId: string, @Headers('if-match') ifMatch?: string): Promise<HttpReply> {
    return reply(await this.commands.execute(new MoveTemplate(templateId, 'publish', parseIfMatch(ifMatch))));
  }

  @Post(':templateId/archive')
  @RequiresScope('templates:write')
  async archive(@Param('templateId') templateId: string, @Headers('if-match') ifMatch?: string): Promise<HttpReply> {
    return reply(await this.commands.execute(new MoveTemplate(templateId, 'archive', parseIfMatch(ifMatch))));
  }

  @Post(':templateId/duplicate')
  @RequiresScope('templates:write')
  @Idempotent()
  async duplicate(@Param('templateId') templateId: string, @Body() body: DuplicateTemplateBody): Promise<HttpReply> {
    return createdReply(
      await this.commands.execute(
        new DuplicateTemplate(templateId, { templateId: body.templateId, title: body.title }),
      ),
    );
  }

  @Delete(':templateId')
  @RequiresScope('templates:write')
  async delete(@Param('templateId') templateId: string, @Headers('if-match') ifMatch?: string): Promise<HttpReply> {
    await this.commands.execute(new DeleteTemplate(templateId, parseIfMatch(ifMatch)));
    return new HttpReply(204);
  }
}

function reply({ template, version }: StoredTemplate): HttpReply {
  return new HttpReply(200, templateView(template), { ETag: entityTag(version) });
}

function createdReply({ template, version }: StoredTemplate): HttpReply {
  const address = `/v0/templates/${encodeURIComponent(template.templateId)}`;
  const { status, body, headers } = created(address, templateView(template));
  return new HttpReply(status, body, { ...headers, ETag: entityTag(version) });
}

function templateView({ templateId, status, content, contentVersion }: LiveTemplate): unknown {
  const { expiration, ...rest } = content;
  return {
    templateId,
    status,
    version: contentVersion,
    ...inApiWords(rest),
    expiration: expirationText(expiration),
  };
}
