import type { Template } from '../api/resources';
import { text } from '../texts';
import { fieldsOf } from './template-fields';

/** What a form makes of a template: what is null goes back to its default. */
export interface TemplateDraft {
  readonly title: string;
  readonly expiration: string;
  readonly revocable: boolean;
  readonly schema: object;
  readonly display: Readonly<Template['display']> | null;
  readonly claimLabels: Template['claimLabels'] | null;
  readonly fourEyes: Template['fourEyes'] | null;
}

/** Only what differs: a change of the claims gives a template another type, and writing them again is none. */
export function changesOf(before: Template, after: Partial<TemplateDraft>): Partial<TemplateDraft> {
  const defaults = { revocable: false, display: null, claimLabels: null, fourEyes: null };
  const former = new Map<string, unknown>(Object.entries({ ...defaults, ...before }));
  return Object.fromEntries(
    Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(former.get(name))),
  );
}

/** What differs, in words; for the person who is about to save it. */
export function changeTexts(before: Template, after: Partial<TemplateDraft>): readonly string[] {
  const changes = changesOf(before, after);
  const { title, expiration, revocable, schema, display, claimLabels, fourEyes } = changes;
  return [
    ...(title === undefined ? [] : [text('designs.titleChanges', { before: before.title, after: title })]),
    ...(expiration === undefined
      ? []
      : [text('designs.validityChanges', { before: before.expiration, after: expiration })]),
    ...(revocable === undefined ? [] : [text(revocable ? 'designs.becomesRevocable' : 'designs.becomesFinal')]),
    ...(schema === undefined ? [] : fieldTexts(before.schema, schema)),
    ...(display === undefined ? [] : [text('designs.cardChanges')]),
    ...(claimLabels === undefined ? [] : [text('designs.labelsChange')]),
    ...(fourEyes === undefined ? [] : [text('designs.twoChange')]),
  ];
}

function fieldTexts(before: unknown, after: unknown): string[] {
  const [former, present] = [fieldsOf(before), fieldsOf(after)];
  if (!former || !present) return [text('designs.schemaChanges')];
  const by = new Map(former.map((field) => [field.name, field]));
  const names = new Set(present.map(({ name }) => name));
  const words = [
    ...present.flatMap((field) => {
      const was = by.get(field.name);
      const called = { field: field.label || field.name };
      if (!was) return [text('designs.fieldAdded', called)];
      return [
        ...(was.type === field.type && was.choices === field.choices ? [] : [text('designs.typeChanges', called)]),
        ...(was.isRequired === field.isRequired
          ? []
          : [text(field.isRequired ? 'designs.becomesRequired' : 'designs.becomesOptional', called)]),
        ...(was.label === field.label ? [] : [text('designs.labelChanges', { before: was.label, after: field.label })]),
      ];
    }),
    ...former.flatMap(({ name, label }) =>
      names.has(name) ? [] : [text('designs.fieldRemoved', { field: label || name })],
    ),
  ];
  return words.length === 0 ? [text('designs.orderChanges')] : words;
}
