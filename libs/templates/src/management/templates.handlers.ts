import type { PageQuery, Conditions } from '@app/http';
import { type OpenedApproval, RequestApproval } from '@app/approvals';
import type { JsonObject } from '@app/primitives/json';
import { Command, CommandBus, CommandHandler, ICommandHandler, IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { randomUUID } from 'node:crypto';
import { isBuildable, unsupportedFormat } from '../configuration/credential-configuration';
import { CredentialConfigurations } from '../configuration/credential-configurations';
import {
  archiveTemplate,
  changeTemplate,
  isChangeOfTwo,
  publishTemplate,
  type TemplateStatus,
} from '../template/template';
import { changedContent, newContent, copiedContent, needsNewType } from '../template/template-content';
import type { TemplateChange, TemplateInput } from '../template/template-input';
import { StoredTemplate, TemplatePage, TemplateRecords } from '../template/template-records';

export class CreateTemplate extends Command<StoredTemplate> {
  /** @param templateId a random one when absent. @param status Draft when absent */
  constructor(
    readonly content: TemplateInput,
    readonly templateId: string = randomUUID(),
    readonly status: 'Draft' | 'Published' = 'Draft',
  ) {
    super();
  }
}

/** A new Draft with the content of a template in any state. */
export class DuplicateTemplate extends Command<StoredTemplate> {
  constructor(
    readonly templateId: string,
    readonly copyId: string = randomUUID(),
    readonly title?: string,
  ) {
    super();
  }
}

/** A template as it is; with an approval it is as it was. */
export type MovedTemplate = StoredTemplate & { readonly approval: OpenedApproval | undefined };

export class ChangeTemplate extends Command<MovedTemplate> {
  /** @param isApproved by a second person */
  constructor(
    readonly templateId: string,
    readonly changes: TemplateChange,
    readonly conditions: Conditions,
    readonly isApproved = false,
  ) {
    super();
  }
}

const moves = { publish: publishTemplate, archive: archiveTemplate };

/** A change of the state alone. */
export class MoveTemplate extends Command<MovedTemplate> {
  /** @param isApproved by a second person */
  constructor(
    readonly templateId: string,
    readonly move: keyof typeof moves,
    readonly conditions: Conditions,
    readonly isApproved = false,
  ) {
    super();
  }
}

/** Final: the id stays taken and nothing answers to it any more. */
export class DeleteTemplate extends Command<void> {
  constructor(
    readonly templateId: string,
    readonly conditions: Conditions,
  ) {
    super();
  }
}

export class GetTemplate extends Query<StoredTemplate> {
  constructor(readonly templateId: string) {
    super();
  }
}

export class ListTemplates extends Query<TemplatePage> {
  constructor(
    readonly page: PageQuery,
    readonly status?: TemplateStatus,
  ) {
    super();
  }
}

@CommandHandler(CreateTemplate)
export class CreateTemplateHandler implements ICommandHandler<CreateTemplate> {
  constructor(
    private readonly records: TemplateRecords,
    private readonly configurations: CredentialConfigurations,
  ) {}

  async execute({ templateId, content: input, status }: CreateTemplate): Promise<StoredTemplate> {
    const content = await newContent(input);
    this.configurations.assertSound(templateId, content);
    const created = await this.records.create(templateId, content, status);
    this.configurations.forget();
    return created;
  }
}

@CommandHandler(DuplicateTemplate)
export class DuplicateTemplateHandler implements ICommandHandler<DuplicateTemplate> {
  constructor(
    private readonly records: TemplateRecords,
    private readonly configurations: CredentialConfigurations,
  ) {}

  async execute({ templateId, copyId, title }: DuplicateTemplate): Promise<StoredTemplate> {
    const { template } = await this.records.find(templateId);
    if (!isBuildable(template.content)) throw unsupportedFormat(templateId, template.content);
    const content = copiedContent(template.content, title);
    this.configurations.assertSound(copyId, content);
    return this.records.create(copyId, content, 'Draft');
  }
}

@CommandHandler(ChangeTemplate)
export class ChangeTemplateHandler implements ICommandHandler<ChangeTemplate> {
  constructor(
    private readonly records: TemplateRecords,
    private readonly configurations: CredentialConfigurations,
    private readonly commands: CommandBus,
  ) {}

  async execute({ templateId, changes, conditions, isApproved }: ChangeTemplate): Promise<MovedTemplate> {
    let approval: OpenedApproval | undefined;
    const changed = await this.records.change(templateId, conditions, async (template, version) => {
      if (!isBuildable(template.content)) throw unsupportedFormat(templateId, template.content);
      const given = this.configurations.withoutRepeatedType(template, changes);
      const content = await changedContent(template.content, given);
      this.configurations.assertSound(templateId, content);
      const events = changeTemplate(template, content, needsNewType(template.content, content, changes.newType));
      if (events.length === 0 || isApproved || !isChangeOfTwo(template, content)) return events;
      const details = { version, changes: JSON.parse(JSON.stringify(changes)) as JsonObject };
      const asked = { action: 'template.change', object: templateId, templateId, details } as const;
      approval = await this.commands.execute(new RequestApproval(asked));
      return [];
    });
    this.configurations.forget();
    return { ...changed, approval };
  }
}

@CommandHandler(MoveTemplate)
export class MoveTemplateHandler implements ICommandHandler<MoveTemplate> {
  constructor(
    private readonly records: TemplateRecords,
    private readonly configurations: CredentialConfigurations,
    private readonly commands: CommandBus,
  ) {}

  async execute({ templateId, move, conditions, isApproved }: MoveTemplate): Promise<MovedTemplate> {
    let approval: OpenedApproval | undefined;
    const moved = await this.records.change(templateId, conditions, async (template, version) => {
      const events = moves[move](template);
      if (move !== 'publish' || isApproved || !template.content.fourEyes?.publish) return events;
      const asked = { action: 'template.publish', object: templateId, templateId, details: { version } } as const;
      approval = await this.commands.execute(new RequestApproval(asked));
      return [];
    });
    this.configurations.forget();
    return { ...moved, approval };
  }
}

@CommandHandler(DeleteTemplate)
export class DeleteTemplateHandler implements ICommandHandler<DeleteTemplate> {
  constructor(private readonly records: TemplateRecords) {}

  // What can be deleted has no configuration any more, so no list has to be read again.
  execute({ templateId, conditions }: DeleteTemplate): Promise<void> {
    return this.records.delete(templateId, conditions);
  }
}

@QueryHandler(GetTemplate)
export class GetTemplateHandler implements IQueryHandler<GetTemplate> {
  constructor(private readonly records: TemplateRecords) {}

  execute({ templateId }: GetTemplate): Promise<StoredTemplate> {
    return this.records.find(templateId);
  }
}

@QueryHandler(ListTemplates)
export class ListTemplatesHandler implements IQueryHandler<ListTemplates> {
  constructor(private readonly records: TemplateRecords) {}

  execute({ page, status }: ListTemplates): Promise<TemplatePage> {
    return this.records.list(page, status);
  }
}
