import { approvalReply } from '@app/approvals';
import { type Answer, Implements, type Input, Resource, entityTag, created, HttpReply } from '@app/http';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { inApiWords } from '../configuration/credential-configuration';
import { CredentialConfigurations } from '../configuration/credential-configurations';
import { expirationText } from '../template/expiration';
import { retentionText } from '../template/retention';
import type { LiveTemplate } from '../template/template';
import type { StoredTemplate } from '../template/template-records';
import { templates } from './templates.contract';
import {
  ChangeTemplate,
  CreateTemplate,
  DeleteTemplate,
  DuplicateTemplate,
  GetTemplate,
  ListTemplates,
  type MovedTemplate,
  MoveTemplate,
} from './templates.handlers';

@Resource(templates)
export class TemplatesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly configurations: CredentialConfigurations,
  ) {}

  @Implements(templates.create)
  async create({ body: { templateId, status, ...content } }: Input<typeof templates.create>): Promise<HttpReply> {
    return this.createdReply(await this.commands.execute(new CreateTemplate(content, templateId, status)));
  }

  @Implements(templates.list)
  async list({ query }: Input<typeof templates.list>): Promise<Answer<typeof templates.list>> {
    const page = await this.queries.execute(new ListTemplates(query.page, query.status));
    return { items: page.items.map((template) => this.view(template)), nextCursor: page.nextCursor };
  }

  @Implements(templates.get)
  async get({ params: { templateId } }: Input<typeof templates.get>): Promise<HttpReply> {
    return this.reply(await this.queries.execute(new GetTemplate(templateId)));
  }

  @Implements(templates.change)
  async change({ params: { templateId }, body, conditions }: Input<typeof templates.change>): Promise<HttpReply> {
    return this.moved(await this.commands.execute(new ChangeTemplate(templateId, body, conditions)));
  }

  @Implements(templates.publish)
  async publish({ params: { templateId }, conditions }: Input<typeof templates.publish>): Promise<HttpReply> {
    return this.moved(await this.commands.execute(new MoveTemplate(templateId, 'publish', conditions)));
  }

  @Implements(templates.archive)
  async archive({ params: { templateId }, conditions }: Input<typeof templates.archive>): Promise<HttpReply> {
    return this.reply(await this.commands.execute(new MoveTemplate(templateId, 'archive', conditions)));
  }

  @Implements(templates.duplicate)
  async duplicate({ params: { templateId }, body }: Input<typeof templates.duplicate>): Promise<HttpReply> {
    const { templateId: copyId, title } = body;
    return this.createdReply(await this.commands.execute(new DuplicateTemplate(templateId, copyId, title)));
  }

  @Implements(templates.delete)
  async delete({ params: { templateId }, conditions }: Input<typeof templates.delete>): Promise<void> {
    await this.commands.execute(new DeleteTemplate(templateId, conditions));
  }

  private moved(moved: MovedTemplate): HttpReply {
    return moved.approval ? approvalReply(moved.approval) : this.reply(moved);
  }

  private reply({ template, version }: StoredTemplate): HttpReply {
    return new HttpReply(200, this.view(template), { ETag: entityTag(version) });
  }

  private createdReply({ template, version }: StoredTemplate): HttpReply {
    const address = `/v0/templates/${encodeURIComponent(template.templateId)}`;
    const { status, body, headers } = created(address, this.view(template));
    return new HttpReply(status, body, { ...headers, ETag: entityTag(version) });
  }

  private view(template: LiveTemplate): Answer<typeof templates.get> {
    const { templateId, status, content, contentVersion } = template;
    const { expiration, retention, propertyOrder: _shownBySchema, ...rest } = content;
    return {
      templateId,
      status,
      version: contentVersion,
      ...inApiWords({ ...rest, ...this.configurations.typeOf(template) }),
      expiration: expirationText(expiration),
      retention: retentionText(retention),
    };
  }
}
