import type { Field } from './field';
import { isObject, type Json } from '../json';
import { text } from '../texts';

/** What has been written into a form: text for each control, the number of an option for a choice. */
export type Draft = string | readonly Draft[] | DraftGroup;

interface DraftGroup {
  readonly [name: string]: Draft;
}

export interface Fault {
  /** JSON Pointer below the claims. */
  readonly pointer: string;
  readonly message: string;
}

export interface Claims {
  /** Undefined when nothing was written. */
  readonly value: Json | undefined;
  readonly faults: readonly Fault[];
}

export function emptyDraft(field: Field): Draft {
  switch (field.kind) {
    case 'text':
    case 'number':
    case 'choice':
    case 'json':
      return field.initial;
    case 'file':
    case 'constant':
      return '';
    case 'list':
      return [];
    case 'group':
      return Object.fromEntries(field.members.map(({ name, field: member }) => [name, emptyDraft(member)]));
  }
}

/** The claims as the management API takes them. What was left empty is left out: the service says what it misses. */
export function claimsOf(field: Field, draft: Draft, pointer = ''): Claims {
  switch (field.kind) {
    case 'text':
    case 'file':
      return { value: textIn(draft) || undefined, faults: [] };
    case 'number':
      return numberOf(textIn(draft), field.isWhole, pointer);
    case 'choice':
      return { value: field.options[textIn(draft) === '' ? -1 : Number(textIn(draft))]?.value, faults: [] };
    case 'constant':
      return { value: field.value, faults: [] };
    case 'json':
      return jsonOf(textIn(draft), pointer);
    case 'list':
      return itemsOf(field.item, Array.isArray(draft) ? (draft as readonly Draft[]) : [], field.isRequired, pointer);
    case 'group':
      return membersOf(field, isGroup(draft) ? draft : {}, pointer);
  }
}

function membersOf(field: Field & { kind: 'group' }, draft: DraftGroup, pointer: string): Claims {
  const members = field.members.map(({ name, field: member }) => {
    const claims = claimsOf(member, draft[name] ?? '', `${pointer}/${escaped(name)}`);
    return { name, claims, isWritten: member.kind !== 'constant' && claims.value !== undefined };
  });
  const faults = members.flatMap(({ claims }) => claims.faults);
  // Constants alone do not make an optional group.
  if (!field.isRequired && !members.some(({ isWritten }) => isWritten)) return { value: undefined, faults };
  const given = members.flatMap(({ name, claims: { value } }) => (value === undefined ? [] : [[name, value] as const]));
  return { value: Object.fromEntries(given), faults };
}

function itemsOf(item: Field, drafts: readonly Draft[], isRequired: boolean, pointer: string): Claims {
  if (drafts.length === 0) return { value: isRequired ? [] : undefined, faults: [] };
  const items = drafts.map((draft, index) => claimsOf(item, draft, `${pointer}/${index}`));
  return {
    value: items.map(({ value }) => value ?? null),
    faults: items.flatMap(({ faults }) => faults),
  };
}

function numberOf(written: string, isWhole: boolean, pointer: string): Claims {
  if (written.trim() === '') return { value: undefined, faults: [] };
  const value = Number(written);
  if (Number.isFinite(value) && (!isWhole || Number.isInteger(value))) return { value, faults: [] };
  const message = text(isWhole ? 'forms.wholeNumber' : 'forms.number');
  return { value: undefined, faults: [{ pointer, message }] };
}

function jsonOf(written: string, pointer: string): Claims {
  if (written.trim() === '') return { value: undefined, faults: [] };
  try {
    return { value: JSON.parse(written) as Json, faults: [] };
  } catch {
    return { value: undefined, faults: [{ pointer, message: text('forms.json') }] };
  }
}

/** The faults that the service found, by pointer below the claims; what lies elsewhere keeps its whole pointer. */
export function faultsIn(violations: readonly Fault[], claimsAt: string): ReadonlyMap<string, string> {
  return new Map(
    violations.map(({ pointer, message }) => [
      pointer.startsWith(`${claimsAt}/`) || pointer === claimsAt ? pointer.slice(claimsAt.length) : `body:${pointer}`,
      message,
    ]),
  );
}

/** What is wrong with a control. What is written as JSON has no controls within, so it also has their faults. */
export function faultsAt(field: Field, pointer: string, faults: ReadonlyMap<string, string>): readonly string[] {
  const within = [...faults].filter(([at]) => field.kind === 'json' && at.startsWith(`${pointer}/`));
  const own = faults.get(pointer);
  return [...(own === undefined ? [] : [own]), ...within.map(([at, fault]) => `${at.slice(pointer.length)} ${fault}`)];
}

/** RFC 6901 §3. */
export function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

export function textIn(draft: Draft | undefined): string {
  return typeof draft === 'string' ? draft : '';
}

export function isGroup(draft: Draft | undefined): draft is DraftGroup {
  return isObject(draft);
}
