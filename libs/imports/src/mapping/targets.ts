import { escapePointer, isJsonObject, type JsonObject, type JsonValue, stepsOf } from '@app/primitives/json';
import type { IssuableConfiguration } from '@app/templates';

/** What a cell becomes. */
export type TargetKind = 'text' | 'date' | 'date-time' | 'number' | 'integer' | 'boolean' | 'list' | 'expiry' | 'mail';

/** What a column can be: a claim, by its JSON Pointer, or something else of a credential. */
export interface ColumnTarget {
  /** `/given_name`, `reference`, `expiresAt`, or `email` and `name` of whom the offer is for. */
  readonly to: string;
  /** The first one is what people call it. */
  readonly labels: readonly [string, ...string[]];
  readonly required: boolean;
  readonly kind: TargetKind;
  readonly example: string;
}

const deepest = 4;
const mostTargets = 400;

const besides: readonly ColumnTarget[] = [
  {
    to: 'reference',
    labels: ['Reference', 'Referenz', 'Référence', 'Riferimento', 'Referentie', 'Referencia', 'المرجع'],
    required: false,
    kind: 'text',
    example: '2026/4711',
  },
  {
    to: 'expiresAt',
    labels: [
      'Expires at',
      'expiresAt',
      'Expiry',
      'Gültig bis',
      "Valable jusqu'au",
      'Valido fino al',
      'Geldig tot',
      'Válido hasta',
    ],
    required: false,
    kind: 'expiry',
    example: '2030-12-31',
  },
  {
    to: 'email',
    labels: [
      'E-mail',
      'E-Mail-Adresse',
      'Mail',
      'Courriel',
      'Adresse e-mail',
      'Correo electrónico',
      'البريد الإلكتروني',
    ],
    required: false,
    kind: 'mail',
    example: 'erika@example.org',
  },
  {
    to: 'name',
    labels: ['Recipient', 'Name', 'Empfänger', 'Destinataire', 'Destinatario', 'Ontvanger', 'المستلم'],
    required: false,
    kind: 'text',
    example: 'Erika Mustermann',
  },
];

type Place = Pick<IssuableConfiguration, 'schema' | 'claims'>;

/** Everything that a column can be, the claims in the order of the schema. */
export function targetsOf(configuration: Place): readonly ColumnTarget[] {
  const targets: ColumnTarget[] = [];
  walk(configuration, rootOf(configuration), [], true, (target) => targets.push(target));
  return [...targets.slice(0, mostTargets), ...besides];
}

/** Claims that the schema leaves no choice for, by their JSON Pointers. */
export function constantsOf(configuration: Place): ReadonlyMap<string, JsonValue> {
  const found = new Map<string, JsonValue>();
  const root = rootOf(configuration);
  const visit = (schema: JsonObject, steps: readonly string[], isNeeded: boolean): void => {
    if (schema['const'] !== undefined && isNeeded && steps.length > 0) {
      found.set(pointerOf(steps), schema['const']);
      return;
    }
    if (steps.length >= deepest) return;
    const required = Array.isArray(schema['required']) ? schema['required'] : [];
    for (const [name, below] of propertiesOf(root, schema)) {
      visit(below, [...steps, name], isNeeded && required.includes(name));
    }
  };
  visit(root, [], true);
  return found;
}

function rootOf({ schema }: Place): JsonObject {
  return isJsonObject(schema) ? schema : {};
}

function walk(
  configuration: Place,
  schema: JsonObject,
  steps: readonly string[],
  isNeeded: boolean,
  found: (target: ColumnTarget) => void,
): void {
  const root = rootOf(configuration);
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  for (const [name, below] of propertiesOf(root, schema)) {
    const place = [...steps, name];
    const isRequired = isNeeded && required.includes(name);
    const hasBelow = propertiesOf(root, below).length > 0;
    if (hasBelow && place.length < deepest) walk(configuration, below, place, isRequired, found);
    else if (!hasBelow) found(targetAt(configuration, below, place, isRequired));
  }
}

function targetAt(
  { claims = [] }: Place,
  schema: JsonObject,
  steps: readonly string[],
  required: boolean,
): ColumnTarget {
  const described = claims.find(
    ({ path }) => path.length === steps.length && path.every((one, at) => one === steps[at]),
  );
  const shown = (described?.display ?? []).map(({ name }) => name);
  const { title } = schema;
  const name = steps.join(' ');
  const known = [...shown, ...(typeof title === 'string' && title !== '' ? [title] : [])];
  const [first = name, ...others] = known.length === 0 ? [] : [...known, name];
  const kind = kindOf(schema);
  const to = pointerOf(steps);
  return { to, labels: [first, ...others], required, kind, example: exampleOf(schema, kind) };
}

function kindOf(schema: JsonObject): TargetKind {
  const types = [schema['type']].flat();
  const [sample] = Array.isArray(schema['enum']) ? schema['enum'] : [schema['const']];
  const has = (type: string) => types.includes(type) || (types[0] === undefined && typeof sample === type);
  if (has('string')) {
    if (schema['format'] === 'date') return 'date';
    return schema['format'] === 'date-time' ? 'date-time' : 'text';
  }
  if (types.includes('integer')) return 'integer';
  if (has('number')) return 'number';
  if (has('boolean')) return 'boolean';
  return types.includes('array') ? 'list' : 'text';
}

const usual: Readonly<Record<TargetKind, string>> = {
  text: 'Text',
  date: '1990-12-31',
  'date-time': '2027-06-30T12:00:00Z',
  number: '1.5',
  integer: '1',
  boolean: 'true',
  list: 'one | two',
  expiry: '2030-12-31',
  mail: 'erika@example.org',
};

function exampleOf(schema: JsonObject, kind: TargetKind): string {
  const { examples, enum: values, const: only } = schema;
  const [given] = [only, ...[examples, values].flatMap((list) => (Array.isArray(list) ? list : []))].filter((one) =>
    ['string', 'number', 'boolean'].includes(typeof one),
  );
  if (given === undefined) return usual[kind];
  return typeof given === 'string' ? given : JSON.stringify(given);
}

/** Those of a part of a schema, references within it followed once. */
function propertiesOf(root: JsonObject, part: JsonObject): readonly (readonly [string, JsonObject])[] {
  const schema = resolved(root, part);
  const parts = [schema, ...(Array.isArray(schema['allOf']) ? schema['allOf'] : [])].filter(isJsonObject);
  return parts.flatMap(({ properties }) =>
    isJsonObject(properties)
      ? Object.entries(properties).flatMap(([name, below]) =>
          isJsonObject(below) ? [[name, resolved(root, below)] as const] : [],
        )
      : [],
  );
}

function resolved(root: JsonObject, schema: JsonObject): JsonObject {
  const reference = schema['$ref'];
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return schema;
  const found = stepsOf(decodeURIComponent(reference.slice(1))).reduce<unknown>(
    (value, step) => (isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined),
    root,
  );
  return isJsonObject(found) ? { ...found, ...schema, $ref: '' } : schema;
}

function pointerOf(steps: readonly string[]): string {
  return steps.map((step) => `/${escapePointer(step)}`).join('');
}
