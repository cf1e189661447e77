import { isObject, type Json } from '../json';

export const fieldTypes = ['text', 'date', 'integer', 'number', 'boolean', 'choice'] as const;
export type FieldType = (typeof fieldTypes)[number];

/** A claim of a template as people write it. */
export interface FieldDraft {
  /** Of the member; made of the label when empty. */
  readonly name: string;
  readonly label: string;
  readonly type: FieldType;
  readonly isRequired: boolean;
  readonly example: string;
  /** Of a choice: one on each line. */
  readonly choices: string;
  /** By language. */
  readonly labels: Readonly<Record<string, string>>;
}

/** `{ "/given_name": { "de": "Vorname" } }`, as templates have them. */
export type Labels = Readonly<Record<string, Readonly<Record<string, string>>>>;

export const newField: FieldDraft = {
  ...{ name: '', label: '', type: 'text', isRequired: false, example: '', choices: '', labels: {} },
};

export function nameOf({ name, label }: FieldDraft): string {
  if (name !== '') return name;
  const plain = label.normalize('NFKD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss').toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, '_').replace(/^_+|_+$/g, '');
}

const known = new Set(['type', 'title', 'format', 'enum', 'examples']);

/** The fields of a schema; undefined where it says more than fields can. */
export function fieldsOf(schema: unknown, labels: Labels = {}): readonly FieldDraft[] | undefined {
  if (!isObject(schema)) return undefined;
  const { type, properties = {}, required = [], ...others } = schema as Readonly<Record<string, unknown>>;
  if (type !== 'object' || Object.keys(others).length > 0 || !Array.isArray(required)) return undefined;
  const names = Object.keys(properties as object);
  if (!required.every((name) => names.includes(name as string))) return undefined;
  const fields = Object.entries(properties as object).map(([name, one]) =>
    fieldOf(name, one, { isRequired: required.includes(name), labels: labels[pointerTo(name)] ?? {} }),
  );
  return fields.every((field) => field !== undefined) ? fields : undefined;
}

function fieldOf(name: string, one: unknown, rest: Pick<FieldDraft, 'isRequired' | 'labels'>): FieldDraft | undefined {
  if (!isObject(one)) return undefined;
  const schema = one as Readonly<Record<string, unknown>>;
  const type = typeOf(schema);
  const { title = '', examples = [] } = schema;
  if (type === undefined || typeof title !== 'string' || !Array.isArray(examples) || examples.length > 1)
    return undefined;
  const [example = ''] = examples as (string | number | boolean)[];
  const choices = type === 'choice' ? (schema['enum'] as string[]).join('\n') : '';
  return { ...rest, name, label: title, type, example: String(example), choices };
}

function typeOf(schema: Readonly<Record<string, unknown>>): FieldType | undefined {
  if (Object.keys(schema).some((member) => !known.has(member))) return undefined;
  const { type, format, enum: options } = schema;
  if (options !== undefined) {
    const areTexts = Array.isArray(options) && options.every((one) => typeof one === 'string' && !one.includes('\n'));
    return type === 'string' && format === undefined && areTexts ? 'choice' : undefined;
  }
  if (type === 'string') return format === undefined ? 'text' : format === 'date' ? 'date' : undefined;
  const isPlain = type === 'integer' || type === 'number' || type === 'boolean';
  return isPlain && format === undefined ? type : undefined;
}

/** The JSON Schema of these fields, in their order. */
export function schemaOf(fields: readonly FieldDraft[]): object {
  const properties = Object.fromEntries(fields.map((field) => [nameOf(field), propertyOf(field)]));
  const required = fields.filter(({ isRequired }) => isRequired).map(nameOf);
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

function propertyOf({ type, label, example, choices }: FieldDraft): object {
  const options = choices.split('\n').map((one) => one.trim());
  return {
    type: type === 'date' || type === 'choice' || type === 'text' ? 'string' : type,
    ...(type === 'date' && { format: 'date' }),
    ...(type === 'choice' && { enum: [...new Set(options.filter((one) => one !== ''))] }),
    ...(label !== '' && { title: label }),
    ...(example !== '' && { examples: [exampleOf(type, example)] }),
  };
}

function exampleOf(type: FieldType, example: string): Json {
  if (type === 'boolean') return example === 'true';
  const number = Number(example);
  return (type === 'integer' || type === 'number') && !Number.isNaN(number) ? number : example;
}

export function labelsOf(fields: readonly FieldDraft[]): Labels | undefined {
  const given = fields.flatMap((field) => {
    const labels = Object.entries(field.labels).filter(([, label]) => label.trim() !== '');
    return labels.length === 0 ? [] : [[pointerTo(nameOf(field)), Object.fromEntries(labels)] as const];
  });
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

function pointerTo(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Fields whose name is missing, or that of one before. */
export function unnamed(fields: readonly FieldDraft[]): readonly number[] {
  const names = fields.map(nameOf);
  return names.flatMap((name, index) => (name === '' || names.indexOf(name) < index ? [index] : []));
}
