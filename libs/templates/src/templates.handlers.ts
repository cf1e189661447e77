import { EventStore, Page, Repository } from '@app/event-store';
import { PageQuery } from '@app/http';
import { Problem } from '@app/problem-details';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, ICommandHandler, IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { randomUUID } from 'node:crypto';
import {
  CheckClaims,
  FindCredentialConfiguration,
  GetConfigurationOfTemplate,
  ListCredentialConfigurations,
} from './api';
import { CredentialConfigurations } from './credential-configurations';
import type { IssuableConfiguration } from './credential-configuration';
import { violationsOf } from './json-schema';
import { createTemplate, publishTemplate, Template, TemplateEvent, TEMPLATES } from './template';
import { contentOf } from './template-content';
import { CreateTemplateBody } from './template.dto';

export class CreateTemplate extends Command<Template> {
  constructor(readonly body: CreateTemplateBody) {
    super();
  }
}

export class PublishTemplate extends Command<Template> {
  constructor(readonly templateId: string) {
    super();
  }
}

export class GetTemplate extends Query<Template> {
  constructor(readonly templateId: string) {
    super();
  }
}

export class ListTemplates extends Query<Page<Template>> {
  constructor(
    readonly page: PageQuery,
    readonly status?: string,
  ) {
    super();
  }
}

@CommandHandler(CreateTemplate)
export class CreateTemplateHandler implements ICommandHandler<CreateTemplate> {
  constructor(
    private readonly store: EventStore,
    @Inject(TEMPLATES) private readonly templates: Repository<Template, TemplateEvent>,
    private readonly configurations: CredentialConfigurations,
  ) {}

  async execute({ body }: CreateTemplate): Promise<Template> {
    const templateId = body.templateId ?? randomUUID();
    const content = contentOf(body);
    this.configurations.assertSound(templateId, content);
    if (this.configurations.provisioned.has(templateId)) {
      throw new Problem('conflict', `A provisioned credential configuration has the id ${templateId} already.`);
    }
    const created = await this.store.transact(async () => {
      const { state, version } = await this.templates.load(templateId);
      const events = createTemplate(state, templateId, content);
      const saved = await this.templates.save(templateId, version, events);
      if (body.status !== 'Published') return saved.state;
      return (await this.templates.save(templateId, saved.version, publishTemplate(saved.state))).state;
    });
    this.configurations.forget();
    return created;
  }
}

@CommandHandler(PublishTemplate)
export class PublishTemplateHandler implements ICommandHandler<PublishTemplate> {
  constructor(
    private readonly store: EventStore,
    @Inject(TEMPLATES) private readonly templates: Repository<Template, TemplateEvent>,
    private readonly configurations: CredentialConfigurations,
  ) {}

  async execute({ templateId }: PublishTemplate): Promise<Template> {
    const published = await this.store.transact(async () => {
      const { state, version } = await this.templates.load(templateId);
      const saved = await this.templates.save(templateId, version, publishTemplate(found(state, templateId)));
      return saved.state;
    });
    this.configurations.forget();
    return published;
  }
}

@QueryHandler(GetTemplate)
export class GetTemplateHandler implements IQueryHandler<GetTemplate> {
  constructor(@Inject(TEMPLATES) private readonly templates: Repository<Template, TemplateEvent>) {}

  async execute({ templateId }: GetTemplate): Promise<Template> {
    return found((await this.templates.load(templateId)).state, templateId);
  }
}

@QueryHandler(ListTemplates)
export class ListTemplatesHandler implements IQueryHandler<ListTemplates> {
  constructor(@Inject(TEMPLATES) private readonly templates: Repository<Template, TemplateEvent>) {}

  execute({ page, status }: ListTemplates): Promise<Page<Template>> {
    return this.templates.list({ ...page, ...(status !== undefined && { where: { status } }) });
  }
}

@QueryHandler(GetConfigurationOfTemplate)
export class GetConfigurationOfTemplateHandler implements IQueryHandler<GetConfigurationOfTemplate> {
  constructor(
    @Inject(TEMPLATES) private readonly templates: Repository<Template, TemplateEvent>,
    private readonly configurations: CredentialConfigurations,
  ) {}

  async execute({ templateId }: GetConfigurationOfTemplate): Promise<IssuableConfiguration> {
    const template = found((await this.templates.load(templateId)).state, templateId);
    if (template.status !== 'Published') {
      throw new Problem('template-not-published', `The template ${templateId} is ${template.status}.`);
    }
    return this.configurations.ofTemplate(template);
  }
}

@QueryHandler(FindCredentialConfiguration)
export class FindCredentialConfigurationHandler implements IQueryHandler<FindCredentialConfiguration> {
  constructor(private readonly configurations: CredentialConfigurations) {}

  execute({ configurationId }: FindCredentialConfiguration): Promise<IssuableConfiguration | undefined> {
    return this.configurations.find(configurationId);
  }
}

@QueryHandler(ListCredentialConfigurations)
export class ListCredentialConfigurationsHandler implements IQueryHandler<ListCredentialConfigurations> {
  constructor(private readonly configurations: CredentialConfigurations) {}

  execute(): Promise<readonly IssuableConfiguration[]> {
    return this.configurations.all();
  }
}

@QueryHandler(CheckClaims)
export class CheckClaimsHandler implements IQueryHandler<CheckClaims> {
  execute({ configuration, claims, pointer }: CheckClaims) {
    return Promise.resolve(configuration.schema ? violationsOf(configuration.schema, claims, pointer) : []);
  }
}

function found(template: Template | undefined, templateId: string): Template {
  if (!template) throw new Problem('template-not-found', `There is no template with the id ${templateId}.`);
  return template;
}
