import { isObject, type Json, type JsonObject } from '../json';
import { text } from '../texts';

interface Shown {
  /** What people read; the `title` of the schema, or the name of the member. */
  readonly label: string;
  readonly description?: string;
  readonly isRequired: boolean;
}

/** One control of a form, or several. */
export type Field =
  | (Shown & { readonly kind: 'text'; readonly isDate: boolean; readonly example?: string; readonly initial: string })
  /** Bytes of a file, such as a portrait, in base64. */
  | (Shown & { readonly kind: 'file' })
  | (Shown & { readonly kind: 'number'; readonly isWhole: boolean; readonly initial: string })
  | (Shown & { readonly kind: 'choice'; readonly options: readonly Option[]; readonly initial: string })
  | (Shown & { readonly kind: 'constant'; readonly value: Json })
  | (Shown & { readonly kind: 'group'; readonly members: readonly Member[] })
  | (Shown & { readonly kind: 'list'; readonly item: Field })
  /** Everything that has no control of its own is written as JSON. */
  | (Shown & { readonly kind: 'json'; readonly initial: string });

export interface Option {
  readonly label: string;
  readonly value: Json;
}

export interface Member {
  readonly name: string;
  readonly field: Field;
}

/** Deeper schemas, and those that contain themselves, end in JSON. */
const deepest = 6;

/** The form of a JSON Schema. @param schema of an object; members that are required come first */
export function formOf(schema: object): Field {
  const root = isObject(schema) ? schema : {};
  return fieldOf('', root, true, { root, depth: 0 });
}

interface Place {
  readonly root: JsonObject;
  readonly depth: number;
}

function fieldOf(name: string, given: Json | undefined, isRequired: boolean, place: Place): Field {
  const schema = resolved(given, place);
  const { title, description } = schema;
  const shown: Shown = {
    label: typeof title === 'string' && title !== '' ? title : wordsOf(name),
    ...(typeof description === 'string' && { description }),
    isRequired,
  };
  if (schema['const'] !== undefined) return { ...shown, kind: 'constant', value: schema['const'] };
  const options = optionsOf(schema);
  if (options) return { ...shown, kind: 'choice', options, initial: chosen(options, schema['default']) };
  if (place.depth > deepest || isComposed(schema)) return asJson(shown, schema);
  switch (typeOf(schema)) {
    case 'string':
      return textOf(shown, schema);
    case 'number':
    case 'integer':
      return { ...shown, kind: 'number', isWhole: typeOf(schema) === 'integer', initial: written(schema['default']) };
    case 'object':
      return groupOf(shown, schema, place);
    case 'array':
      return listOf(shown, schema, place);
    case undefined:
      return asJson(shown, schema);
  }
}

function textOf(shown: Shown, schema: JsonObject): Field {
  const { format, contentEncoding, examples, default: initial } = schema;
  if (contentEncoding === 'base64') return { ...shown, kind: 'file' };
  const example: unknown = Array.isArray(examples) ? examples[0] : undefined;
  const hint = format === 'date-time' ? '2030-01-31T12:00:00Z' : undefined;
  const shownExample = typeof example === 'string' ? example : hint;
  return {
    ...{ ...shown, kind: 'text', isDate: format === 'date', initial: typeof initial === 'string' ? initial : '' },
    ...(shownExample !== undefined && { example: shownExample }),
  };
}

function groupOf(shown: Shown, schema: JsonObject, { root, depth }: Place): Field {
  const { properties, required } = schema;
  if (!isObject(properties) || Object.keys(properties).length === 0) return asJson(shown, schema);
  const needed = new Set(Array.isArray(required) ? required : []);
  const members = Object.entries(properties).map(([name, member]): Member => {
    return { name, field: fieldOf(name, member, needed.has(name), { root, depth: depth + 1 }) };
  });
  const first = members.filter(({ field }) => field.isRequired);
  return { ...shown, kind: 'group', members: [...first, ...members.filter(({ field }) => !field.isRequired)] };
}

function listOf(shown: Shown, schema: JsonObject, { root, depth }: Place): Field {
  const { items } = schema;
  if (!isObject(items)) return asJson(shown, schema);
  return { ...shown, kind: 'list', item: fieldOf(text('forms.entry'), items, true, { root, depth: depth + 1 }) };
}

function asJson(shown: Shown, schema: JsonObject): Field {
  const { default: initial } = schema;
  return { ...shown, kind: 'json', initial: initial === undefined ? '' : JSON.stringify(initial, null, 2) };
}

/** The schema itself, or what its local reference leads to. */
function resolved(schema: Json | undefined, { root }: Place): JsonObject {
  let found = schema;
  // A reference may lead to another one; one that leads to itself ends as JSON.
  for (let step = 0; step < deepest && isObject(found) && typeof found['$ref'] === 'string'; step++) {
    const { $ref: reference, ...beside } = found;
    const target = /^#($|\/)/.test(reference) ? targetOf(reference.slice(1), root) : undefined;
    found = isObject(target) ? { ...target, ...beside } : beside;
  }
  return isObject(found) ? found : {};
}

/** RFC 6901, as the fragment of a URI. */
function targetOf(pointer: string, root: JsonObject): Json | undefined {
  let found: Json | undefined = root;
  for (const token of pointer.split('/').slice(1)) {
    const name = decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
    found = isObject(found) ? found[name] : undefined;
  }
  return found;
}

function optionsOf({ enum: listed, oneOf, anyOf, type }: JsonObject): readonly Option[] | undefined {
  if (Array.isArray(listed)) return (listed as readonly Json[]).map((value) => ({ label: written(value), value }));
  if (type === 'boolean')
    return [true, false].map((value) => ({ label: text(value ? 'forms.yes' : 'forms.no'), value }));
  const alternatives: unknown = oneOf ?? anyOf;
  if (!Array.isArray(alternatives)) return undefined;
  const options = alternatives.map((one: unknown): Option | undefined => {
    if (!isObject(one) || one['const'] === undefined) return undefined;
    const { title, const: value } = one;
    return { label: typeof title === 'string' ? title : written(value), value };
  });
  return options.every((option) => option !== undefined) ? options : undefined;
}

/** Schemas in which several parts have a say about the same value. */
function isComposed(schema: JsonObject): boolean {
  return ['oneOf', 'anyOf', 'allOf', 'if', '$ref', 'patternProperties'].some((keyword) => keyword in schema);
}

const types = ['string', 'number', 'integer', 'object', 'array'] as const;

function typeOf({ type, properties }: JsonObject): (typeof types)[number] | undefined {
  // Null beside a type is what leaving the value out is in a form.
  const named = Array.isArray(type) ? (type as readonly Json[]).filter((one) => one !== 'null') : [type];
  if (named.length === 1 && named[0] !== undefined) return types.find((one) => one === named[0]);
  return type === undefined && properties !== undefined ? 'object' : undefined;
}

function chosen(options: readonly Option[], value: Json | undefined): string {
  const index = options.findIndex((option) => JSON.stringify(option.value) === JSON.stringify(value));
  return index === -1 ? '' : String(index);
}

function written(value: Json | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What people read of a claim, as the form calls it; `null` in its path stands for every entry of a list. */
export function claimLabel(field: Field, path: readonly (string | null)[]): string {
  const [step, ...further] = path;
  if (step === undefined) return '';
  if (step === null) return field.kind === 'list' ? claimLabel(field.item, further) : '';
  const member = field.kind === 'group' ? field.members.find(({ name }) => name === step)?.field : undefined;
  const below = member
    ? claimLabel(member, further)
    : further
        .filter((one) => one !== null)
        .map(wordsOf)
        .join(', ');
  return [member?.label ?? wordsOf(step), below].filter((one) => one !== '').join(', ');
}

/** `given_name` and `givenName` are `Given name`. */
export function wordsOf(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
