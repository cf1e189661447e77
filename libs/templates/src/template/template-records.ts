import { ConflictError, type Loaded, Page, Repository } from '@app/event-store';
import { type PageQuery, assertConditions, type Conditions, versionConflict } from '@app/http';
import { meant } from '@app/primitives/json';
import { concerning, Problem } from '@app/primitives/problems';
import { Inject, Injectable } from '@nestjs/common';
import type { FourEyes } from './four-eyes';
import {
  createTemplate,
  deleteTemplate,
  inOrderOfDisplay,
  lastFourEyes,
  type LiveTemplate,
  type Template,
  type TemplateContent,
  type TemplateEvent,
  TEMPLATES,
  type TemplateStatus,
} from './template';

/** A template with the version of its stream, which is its entity tag. */
export interface StoredTemplate {
  readonly template: LiveTemplate;
  readonly version: number;
}

export interface TemplatePage {
  readonly items: readonly LiveTemplate[];
  readonly nextCursor: string | null;
}

/** Templates whose ids are compared with one that is not known: the newest. */
const mostCompared = 200;

/** @param version of the stream */
type Decide = (template: LiveTemplate, version: number) => TemplateEvent[] | Promise<TemplateEvent[]>;

/** Templates that are not deleted. */
@Injectable()
export class TemplateRecords {
  constructor(@Inject(TEMPLATES) private readonly templates: Repository<Template, TemplateEvent>) {}

  /** @throws Problem `template-not-found` */
  async find(templateId: string): Promise<StoredTemplate> {
    const { state, version } = await this.templates.load(templateId);
    if (isLive(state)) return { template: live(state, templateId), version };
    return this.unknown(templateId);
  }

  /** What second persons have to approve of its credentials; nothing when there is no such template. */
  async fourEyes(templateId: string): Promise<FourEyes> {
    const { state } = await this.templates.load(templateId);
    if (state?.status !== 'Deleted') return state?.content.fourEyes ?? {};
    return lastFourEyes((await this.templates.events(templateId)).map(({ event }) => event));
  }

  /** Rejects, with the id that may have been meant. */
  private unknown(templateId: string): Promise<never> {
    return concerning({ template: templateId }, async () => {
      const { items } = await this.list({ limit: mostCompared }, undefined);
      const ids = items.map((template) => template.templateId);
      throw notFound(templateId, meant(templateId, ids));
    });
  }

  async list(page: PageQuery, status: TemplateStatus | undefined): Promise<TemplatePage> {
    const where = { listed: 'yes', ...(status && { status }) };
    const { items, nextCursor }: Page<Template> = await this.templates.list({ ...page, where });
    return { items: items.map(({ id, state }) => live(state, id)), nextCursor };
  }

  async create(templateId: string, content: TemplateContent, status: 'Draft' | 'Published'): Promise<StoredTemplate> {
    const { state, version } = await this.templates.update(templateId, ({ state: present }) =>
      createTemplate(present, templateId, content, status),
    );
    return { template: live(state, templateId), version };
  }

  /**
   * Decides once and never again on what came after: of two portals that change one template at the
   * same time one is refused. Throws `version-conflict` when that one had named a version, else `ConflictError`.
   */
  async change(templateId: string, conditions: Conditions, decide: Decide): Promise<StoredTemplate> {
    const { state, version } = await this.update(templateId, conditions, decide);
    return { template: live(state, templateId), version };
  }

  async delete(templateId: string, conditions: Conditions): Promise<void> {
    await this.update(templateId, conditions, deleteTemplate);
  }

  private async update(templateId: string, conditions: Conditions, decide: Decide): Promise<Loaded<Template>> {
    const decideOn = ({ state, version }: Loaded<Template>) =>
      concerning({ template: templateId }, () => {
        const template = live(state, templateId);
        return concerning({ template: templateId, schemaVersion: template.contentVersion }, () => {
          assertConditions(conditions, version);
          return decide(template, version);
        });
      });
    try {
      return await this.templates.update(templateId, decideOn, { attempts: 1 });
    } catch (error) {
      if (error instanceof ConflictError && conditions.match !== undefined) throw versionConflict();
      if (error instanceof Problem && error.slug === 'template-not-found') return this.unknown(templateId);
      throw error;
    }
  }
}

function live(template: Template | undefined, templateId: string): LiveTemplate {
  if (isLive(template)) return inOrderOfDisplay(template);
  throw notFound(templateId);
}

function notFound(templateId: string, question = ''): Problem {
  return new Problem('template-not-found', `There is no template with the id ${templateId}${question || '.'}`);
}

function isLive(template: Template | undefined): template is LiveTemplate {
  return template !== undefined && template.status !== 'Deleted';
}
