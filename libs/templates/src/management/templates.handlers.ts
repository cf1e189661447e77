import type { PageQuery, Conditions } from '@app/http';
import { Command, CommandHandler, ICommandHandler, IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { randomUUID } from 'node:crypto';
import { isBuildable, unsupportedFormat } from '../configuration/credential-configuration';
import { CredentialConfigurations } from '../configuration/credential-configurations';
import { archiveTemplate, changeTemplate, publishTemplate, type TemplateStatus } from '../template/template';
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

export class ChangeTemplate extends Command<StoredTemplate> {
  constructor(
    readonly templateId: string,
    readonly changes: TemplateChange,
    readonly conditions: Conditions,
  ) {
    super();
  }
}

const moves = { publish: publishTemplate, archive: archiveTemplate };

/** A change of the state alone. */
export class MoveTemplate extends Command<StoredTemplate> {
  constructor(
    readonly templateId: string,
    readonly move: keyof typeof moves,
    readonly conditions: Conditions,
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
  ) {}

  async execute({ templateId, changes, conditions }: ChangeTemplate): Promise<StoredTemplate> {
    const changed = await this.records.change(templateId, conditions, async (template) => {
      if (!isBuildable(template.content)) throw unsupportedFormat(templateId, template.content);
      const given = this.configurations.withoutRepeatedType(template, changes);
      const content = await changedContent(template.content, given);
      this.configurations.assertSound(templateId, content);
      return changeTemplate(template, content, needsNewType(template.content, content, changes.newType));
    });
    this.configurations.forget();
    return changed;
  }
}

@CommandHandler(MoveTemplate)
export class MoveTemplateHandler implements ICommandHandler<MoveTemplate> {
  constructor(
    private readonly records: TemplateRecords,
    private readonly configurations: CredentialConfigurations,
  ) {}

  async execute({ templateId, move, conditions }: MoveTemplate): Promise<StoredTemplate> {
    const moved = await this.records.change(templateId, conditions, moves[move]);
    this.configurations.forget();
    return moved;
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
