import type { Aggregate } from '@app/event-store';
import { Problem } from '@app/problem-details';
import type { CredentialDescription } from './credential-configuration';

export const dataModels = ['w3c-vc-1.1', 'sd-jwt-vc'] as const;
export type DataModel = (typeof dataModels)[number];

/** What a template says; a new version each time a published one would change. */
export interface TemplateContent extends CredentialDescription {
  readonly title: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly dataModel: DataModel;
}

export type TemplateEvent =
  | { readonly type: 'TemplateCreated'; readonly templateId: string; readonly content: TemplateContent }
  | { readonly type: 'TemplatePublished' };

export interface Template {
  readonly status: 'Draft' | 'Published';
  readonly templateId: string;
  readonly content: TemplateContent;
  /** Counts the changes of content; part of the address of the hosted type metadata. */
  readonly contentVersion: number;
}

export function createTemplate(
  present: Template | undefined,
  templateId: string,
  content: TemplateContent,
): TemplateEvent[] {
  if (present) {
    throw new Problem('conflict', `A template with the id ${templateId} exists already.`);
  }
  return [{ type: 'TemplateCreated', templateId, content }];
}

export function publishTemplate(template: Template): TemplateEvent[] {
  switch (template.status) {
    case 'Draft':
      return [{ type: 'TemplatePublished' }];
    case 'Published':
      throw new Problem('invalid-template-transition', 'The template is Published; only a Draft can be published.');
  }
}

function evolveTemplate(template: Template | undefined, event: TemplateEvent): Template {
  switch (event.type) {
    case 'TemplateCreated':
      return { status: 'Draft', templateId: event.templateId, content: event.content, contentVersion: 1 };
    case 'TemplatePublished':
      return { ...existing(template), status: 'Published' };
  }
}

export const templateAggregate: Aggregate<Template, TemplateEvent> = { category: 'template', evolve: evolveTemplate };

/** Injection token of the templates' repository. */
export const TEMPLATES = Symbol('TEMPLATES');

function existing(template: Template | undefined): Template {
  if (!template) throw new Error('a template event without its creation');
  return template;
}
