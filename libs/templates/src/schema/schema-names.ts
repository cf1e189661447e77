import { closestOf, escapePointer, isJsonObject, meant, stepsOf } from '@app/primitives/json';
import type { Violation } from '@app/primitives/problems';
import { vocabularyOf } from './schema-compiler';
import { type Dialect, dialects } from './schema-dialect';
import type { SchemaDocument, SchemaPart } from './schema-parts';

type Schema = Readonly<Record<string, unknown>>;

/** Formats of JSON Schema that nothing checks here. */
const unchecked = ['idn-email', 'idn-hostname', 'iri', 'iri-reference'];
/** Known to the compiler, but no words of a schema for claims. */
const foreign = ['id', '$async'];
/** Of 2019-09 and 2020-12, though the compiler does not list it. */
const anchor = '$anchor';

/**
 * Names in a schema that mean nothing, so that it would demand less than its author believes: unknown keywords and formats,
 * and properties of an object that has no such property. Keywords and formats that begin with `x-` are the author's own.
 */
export function faultsOfNames({ parts }: SchemaDocument, dialect: Dialect): Violation[] {
  const root = parts.get('')?.schema ?? {};
  const { keywords, formats } = vocabularyOf(dialect);
  const known = [
    ...keywords.filter((keyword) => !foreign.includes(keyword)),
    ...(dialect === 'draft-07' ? [] : [anchor]),
  ].sort();
  return [...parts.values()].flatMap((part): Violation[] => {
    const { format } = part.schema;
    const unknown = Object.keys(part.schema).filter((name) => !known.includes(name) && !isOwn(name));
    const knownFormats = [...formats, ...unchecked];
    const isKnown = typeof format !== 'string' || knownFormats.includes(format) || isOwn(format);
    return [
      ...unknown.map((keyword) => ({
        pointer: `${part.pointer}/${escapePointer(keyword)}`,
        message: unknownKeyword(keyword, known, dialect),
      })),
      ...(isKnown
        ? []
        : [{ pointer: `${part.pointer}/format`, message: `is an unknown format${question(format, knownFormats)}` }]),
      ...faultsOfClosed(part, root),
    ];
  });
}

function isOwn(name: string): boolean {
  return name.startsWith('x-');
}

function unknownKeyword(keyword: string, known: readonly string[], dialect: Dialect): string {
  const other = dialects.find((one) => vocabularyOf(one).keywords.includes(keyword) && !foreign.includes(keyword));
  if (other) return `is not a keyword of ${dialect}, in which the schema is written, but of ${other}`;
  return `is an unknown keyword${question(keyword, known)}`;
}

/** What to do about an unknown name. */
function question(name: string, known: readonly string[]): string {
  return meant(name, known) || '; one of your own begins with x-';
}

/** Where an object names the only properties it has: others that something demands, or makes a condition of. */
function faultsOfClosed({ pointer, schema }: SchemaPart, root: Schema): Violation[] {
  const closed = closedBy(schema, root);
  if (!closed) return [];
  const { keyword, known } = closed;
  return namedIn(schema, pointer, true)
    .filter(({ name }) => !known.includes(name))
    .map(({ name, pointer: place }) => ({
      pointer: place,
      message: `names a property that the object cannot have, by its ${keyword}${meant(name, known)}`,
    }));
}

interface Closed {
  readonly keyword: string;
  /** The properties that there are. */
  readonly known: readonly string[];
}

function closedBy(schema: Schema, root: Schema): Closed | undefined {
  const { properties, patternProperties, additionalProperties, unevaluatedProperties } = schema;
  if (additionalProperties === false) {
    return patternProperties === undefined
      ? { keyword: 'additionalProperties', known: namesOf(properties) }
      : undefined;
  }
  // It leaves the object the properties of every schema that applies to it as well.
  const all = allOf(schema, root);
  if (unevaluatedProperties !== false || all.some((one) => isOpen(one))) return undefined;
  return { keyword: 'unevaluatedProperties', known: all.flatMap((one) => namesOf(one['properties'])) };
}

function namesOf(properties: unknown): readonly string[] {
  return isJsonObject(properties) ? Object.keys(properties) : [];
}

interface NamedProperty {
  readonly name: string;
  readonly pointer: string;
}

const alternatives = ['allOf', 'anyOf', 'oneOf'] as const;
const conditions = ['if', 'then', 'else', 'not'] as const;

/** The properties that a schema names of the object itself. @param isRoot whether its `properties` are those that there are */
function namedIn(schema: unknown, pointer: string, isRoot = false): NamedProperty[] {
  if (!isJsonObject(schema)) return [];
  const { required, properties, dependentRequired, dependentSchemas, dependencies } = schema;
  const keysOf = (keyword: string, value: unknown): NamedProperty[] =>
    isJsonObject(value)
      ? Object.keys(value).map((name) => ({ name, pointer: `${pointer}/${keyword}/${escapePointer(name)}` }))
      : [];
  const listed = (place: string, value: unknown): NamedProperty[] =>
    Array.isArray(value)
      ? value.flatMap((name, index) => (typeof name === 'string' ? [{ name, pointer: `${place}/${index}` }] : []))
      : [];
  const inside = (keyword: string, value: unknown): NamedProperty[] =>
    isJsonObject(value)
      ? Object.entries(value).flatMap(([name, one]) => {
          const place = `${pointer}/${keyword}/${escapePointer(name)}`;
          return [...listed(place, one), ...namedIn(one, place)];
        })
      : [];
  return [
    ...listed(`${pointer}/required`, required),
    ...(isRoot ? [] : keysOf('properties', properties)),
    ...Object.entries({ dependentRequired, dependentSchemas, dependencies }).flatMap(([keyword, value]) => [
      ...keysOf(keyword, value),
      ...inside(keyword, value),
    ]),
    ...alternatives.flatMap((keyword) => {
      const list: unknown = schema[keyword];
      return Array.isArray(list) ? list.flatMap((one, index) => namedIn(one, `${pointer}/${keyword}/${index}`)) : [];
    }),
    ...conditions.flatMap((keyword) => namedIn(schema[keyword], `${pointer}/${keyword}`)),
  ];
}

/** A claim that a schema does not know. */
export interface UnknownClaim {
  /** Whether the schema allows no such claim, and not only names one that is spelt much like it. */
  readonly isRuledOut: boolean;
  /** Which claim may have been meant, as a question after a message; may be empty. */
  readonly question: string;
}

/**
 * Whether a JSON Pointer leads to no claim of the schema. `undefined` also where the schema leaves names open, unless one
 * that it names is spelt much like this one: it has `additionalProperties` or `patternProperties`, or does not rule others out.
 * @param others pointers beside it; what they lead to was not meant by this one
 */
export function unknownClaim(schema: Schema, pointer: string, others: readonly string[]): UnknownClaim | undefined {
  let place = '';
  let present: readonly unknown[] = [schema];
  for (const step of stepsOf(pointer)) {
    const all = present.flatMap((one) => (isJsonObject(one) ? allOf(one, schema) : []));
    const next = all.flatMap((one) => membersAt(one, step));
    if (next.length > 0) {
      present = next;
      place = `${place}/${escapePointer(step)}`;
      continue;
    }
    if (all.some(isOpen)) return undefined;
    const isTaken = (claim: string) => others.some((other) => other === claim || other.startsWith(`${claim}/`));
    const known = all.flatMap(({ properties }) => namesOf(properties));
    const free = known.filter((name) => !isTaken(`${place}/${escapePointer(name)}`));
    // One letter says too little.
    const closest = step.length < 3 ? undefined : closestOf(step, free);
    const typed = all.filter(({ type }) => type !== undefined);
    const isValue = typed.length > 0 && !typed.some((one) => mayHold(one, step));
    const isRuledOut = isValue || all.some(({ additionalProperties }) => additionalProperties === false);
    if (!isRuledOut && closest === undefined) return undefined;
    return { isRuledOut, question: closest === undefined ? '' : `. Did you mean ${place}/${escapePointer(closest)}?` };
  }
  return undefined;
}

/** The schema with all that apply at the same place. */
function allOf(schema: Schema, root: Schema): readonly Schema[] {
  const found = new Set<Schema>();
  const waiting: unknown[] = [schema];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (!isJsonObject(one) || found.has(one)) continue;
    found.add(one);
    const { $ref, dependentSchemas, dependencies } = one;
    if (typeof $ref === 'string') waiting.push(referred($ref, root));
    for (const keyword of alternatives) if (Array.isArray(one[keyword])) waiting.push(...one[keyword]);
    for (const keyword of conditions) if (keyword !== 'not') waiting.push(one[keyword] ?? false);
    for (const byName of [dependentSchemas, dependencies]) {
      if (isJsonObject(byName)) waiting.push(...Object.values(byName));
    }
  }
  return [...found];
}

/** What a reference leads to; an anchor leads anywhere. */
function referred(reference: string, root: Schema): unknown {
  const open = { patternProperties: {} };
  if (reference !== '#' && !reference.startsWith('#/')) return open;
  let value: unknown = root;
  for (const step of stepsOf(decoded(reference))) {
    value = typeof value === 'object' && value !== null && Object.hasOwn(value, step) ? (value as Schema)[step] : open;
  }
  return value;
}

function decoded(reference: string): string {
  try {
    return decodeURIComponent(reference.slice(1));
  } catch {
    return reference.slice(1);
  }
}

function membersAt({ properties, items, prefixItems }: Schema, step: string): readonly unknown[] {
  if (isJsonObject(properties) && Object.hasOwn(properties, step)) return [properties[step]];
  if (!isIndex(step)) return [];
  const tuple = Array.isArray(prefixItems) ? prefixItems : items;
  if (Array.isArray(tuple) && Number(step) < tuple.length) return [tuple[Number(step)]];
  return isJsonObject(items) || items === true ? [items] : [];
}

/** Whether claims may be there that it does not name. */
function isOpen(schema: Schema): boolean {
  const { patternProperties, propertyNames, additionalProperties, unevaluatedProperties } = schema;
  const allows = (value: unknown) => value !== undefined && value !== false;
  return [patternProperties, propertyNames, additionalProperties, unevaluatedProperties].some(allows);
}

function mayHold({ type }: Schema, step: string): boolean {
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  return types.includes('object') || (isIndex(step) && types.includes('array'));
}

function isIndex(step: string): boolean {
  return /^(?:0|[1-9]\d*)$/.test(step);
}
