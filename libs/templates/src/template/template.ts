import type { Aggregate } from '@app/event-store';
import { Problem } from '@app/primitives/problems';
import { isDeepStrictEqual } from 'node:util';
import type { CredentialDescription } from '../configuration/credential-configuration';
import type { JsonSchema } from '../schema/json-schema';
import { type FourEyes, isWeaker } from './four-eyes';
import { propertiesInOrder, type PropertyOrder } from './property-order';

/** The content of a template. Absent optional members have their defaults. */
export type TemplateContent = CredentialDescription & {
  readonly title: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly schema: JsonSchema;
  readonly propertyOrder?: PropertyOrder;
  readonly fourEyes?: FourEyes;
};

export type TemplateEvent =
  | { readonly type: 'TemplateCreated'; readonly templateId: string; readonly content: TemplateContent }
  | TemplateChanged
  | { readonly type: 'TemplatePublished' }
  | { readonly type: 'TemplateArchived' }
  | { readonly type: 'TemplateDeleted' };

interface TemplateChanged {
  readonly type: 'TemplateChanged';
  readonly content: TemplateContent;
  /** Of a published template: its credentials have the type that they had. */
  readonly keepsType?: true;
}

export const templateStatuses = ['Draft', 'Published', 'Archived'] as const;
export type TemplateStatus = (typeof templateStatuses)[number];

/** All three have the same fields: only what may be done next differs. */
export interface LiveTemplate {
  readonly status: TemplateStatus;
  readonly templateId: string;
  readonly content: TemplateContent;
  /** Counts the changes of what was published. */
  readonly contentVersion: number;
  /** The `contentVersion` since which its credentials have their type; part of the address of the hosted type metadata. */
  readonly typeVersion: number;
  /** Lists filter by equality: a deleted template lacks this member and so is in none of them. */
  readonly listed: 'yes';
}

export type Template = LiveTemplate | { readonly status: 'Deleted'; readonly templateId: string };

/** @throws Problem `conflict` also for the id of a deleted template: wallets may hold credentials of it. */
export function createTemplate(
  present: Template | undefined,
  templateId: string,
  content: TemplateContent,
  status: 'Draft' | 'Published',
): TemplateEvent[] {
  if (present) {
    const was = present.status === 'Deleted' ? 'was deleted; its id is not reused' : 'exists already';
    throw new Problem('conflict', `The template ${templateId} ${was}.`);
  }
  const created: TemplateEvent = { type: 'TemplateCreated', templateId, content };
  return status === 'Published' ? [created, { type: 'TemplatePublished' }] : [created];
}

/**
 * Nothing happens when content and type are what they were.
 * @param hasNewType whether the credentials of a published template have another type than before
 */
export function changeTemplate(template: LiveTemplate, content: TemplateContent, hasNewType: boolean): TemplateEvent[] {
  const isPublished = template.status === 'Published';
  switch (template.status) {
    case 'Draft':
    case 'Published':
      if (isDeepStrictEqual(template.content, content) && !(isPublished && hasNewType)) return [];
      return [{ type: 'TemplateChanged', content, ...(isPublished && !hasNewType && { keepsType: true }) }];
    case 'Archived':
      throw invalidTransition('An Archived template cannot be changed; publish it again first.');
  }
}

/** Whether a second person has to approve a change that is decided on. */
export function isChangeOfTwo({ status, content }: LiveTemplate, after: TemplateContent): boolean {
  const isPublic = status === 'Published' && content.fourEyes?.publish === true;
  return isPublic || isWeaker(after.fourEyes, content.fourEyes);
}

/** From Draft, or back from Archived. */
export function publishTemplate(template: LiveTemplate): TemplateEvent[] {
  switch (template.status) {
    case 'Draft':
    case 'Archived':
      return [{ type: 'TemplatePublished' }];
    case 'Published':
      throw invalidTransition('The template is already Published.');
  }
}

export function archiveTemplate(template: LiveTemplate): TemplateEvent[] {
  switch (template.status) {
    case 'Draft':
    case 'Published':
      return [{ type: 'TemplateArchived' }];
    case 'Archived':
      throw invalidTransition('The template is already Archived.');
  }
}

export function deleteTemplate(template: LiveTemplate): TemplateEvent[] {
  switch (template.status) {
    case 'Draft':
    case 'Archived':
      return [{ type: 'TemplateDeleted' }];
    case 'Published':
      throw invalidTransition('A Published template cannot be deleted; archive it first.');
  }
}

export function evolveTemplate(template: Template | undefined, event: TemplateEvent): Template {
  if (event.type === 'TemplateCreated') {
    const { templateId, content } = event;
    return { status: 'Draft', templateId, content, contentVersion: 1, typeVersion: 1, listed: 'yes' };
  }
  if (!template || template.status === 'Deleted') throw new Error(`a template that is not there: ${event.type}`);
  switch (event.type) {
    case 'TemplateChanged': {
      const contentVersion = template.contentVersion + (template.status === 'Published' ? 1 : 0);
      const typeVersion = event.keepsType ? template.typeVersion : contentVersion;
      return { ...template, content: event.content, contentVersion, typeVersion };
    }
    case 'TemplatePublished':
      return { ...template, status: 'Published' };
    case 'TemplateArchived':
      return { ...template, status: 'Archived' };
    case 'TemplateDeleted':
      return { status: 'Deleted', templateId: template.templateId };
  }
}

/** A stored template with the properties of its schema in the order in which they were written. */
export function inOrderOfDisplay<T extends Pick<LiveTemplate, 'content'>>(template: T): T {
  const { content } = template;
  return { ...template, content: { ...content, schema: propertiesInOrder(content.schema, content.propertyOrder) } };
}

/** What second persons have to approve of the credentials of a template, whatever has become of it. */
export function lastFourEyes(events: readonly TemplateEvent[]): FourEyes {
  const contents = events.flatMap((event) => ('content' in event ? [event.content] : []));
  return contents.at(-1)?.fourEyes ?? {};
}

/** The last content that a type was published with; `undefined` when there never was such a type. */
export function contentOfType(events: readonly TemplateEvent[], typeVersion: number): TemplateContent | undefined {
  let template: Template | undefined;
  let content: TemplateContent | undefined;
  for (const event of events) {
    template = evolveTemplate(template, event);
    if (template.status === 'Published' && template.typeVersion === typeVersion) content = template.content;
  }
  return content;
}

export const templateAggregate: Aggregate<Template, TemplateEvent> = {
  category: 'template',
  evolve: evolveTemplate,
  // 2: `typeVersion`.
  foldVersion: 2,
};

/** Injection token of the templates' repository. */
export const TEMPLATES = Symbol('TEMPLATES');

function invalidTransition(detail: string): Problem {
  return new Problem('invalid-template-transition', detail);
}
