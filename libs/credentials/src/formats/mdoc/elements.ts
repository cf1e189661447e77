import { type CborValue, DATE_TIME, FULL_DATE, Tagged } from '@app/primitives/cbor';
import { escapePointer, isJsonObject, type JsonObject, type JsonValue, valueAt } from '@app/primitives/json';
import type { Violation } from '@app/primitives/problems';
import { isDateTime, wholeSeconds } from '@app/primitives/time';
import { assertIssuableClaims, ClaimsError } from '../../presentation/claims';

type Schema = Readonly<Record<string, unknown>>;

/** How a JSON value is written as CBOR. */
type ElementType =
  | { readonly kind: 'text' | 'integer' | 'number' | 'boolean' | 'full-date' | 'tdate' | 'base64' | 'base64url' }
  | { readonly kind: 'list'; readonly items: ElementType }
  | MapType;
interface MapType {
  readonly kind: 'map';
  readonly members: ReadonlyMap<string, ElementType>;
}

/** The elements of an mdoc, by name space and identifier. */
export type NameSpaces = ReadonlyMap<string, ReadonlyMap<string, CborValue>>;

/** What is wrong with a schema whose types decide how elements are written; pointers lead into the schema. */
export function faultsOfTypes(schema: Schema): readonly Violation[] {
  const reader = new TypeReader(schema);
  reader.nameSpaces();
  return reader.faults;
}

/**
 * The elements of claims `{name space: {element: value}}`, each of the type that the schema gives it. Throws `ClaimsError`
 * for what is not of that type or has none.
 */
export function elementsOf(claims: JsonObject, schema: Schema): NameSpaces {
  assertIssuableClaims(claims);
  const reader = new TypeReader(schema);
  const types = reader.nameSpaces();
  const [fault] = reader.faults;
  if (!types || fault) throw new TypeError(`the schema gives no types at ${fault?.pointer ?? ''}`);
  const nameSpaces = written(claims, types, '') as NameSpaces;
  const [, empty] = [...nameSpaces].find(([, elements]) => elements.size === 0) ?? [];
  if (nameSpaces.size > 0 && !empty) return nameSpaces;
  const name = [...nameSpaces].find(([, elements]) => elements === empty)?.[0];
  throw wrong(name === undefined ? '' : `/${escapePointer(name)}`, 'must hold at least one element');
}

const SIMPLE: Readonly<Record<string, ElementType>> = {
  integer: { kind: 'integer' },
  number: { kind: 'number' },
  boolean: { kind: 'boolean' },
};
const FORMATS: Readonly<Record<string, ElementType>> = { date: { kind: 'full-date' }, 'date-time': { kind: 'tdate' } };
const ENCODINGS: readonly unknown[] = ['base64', 'base64url'];

/** What only adds conditions elsewhere would make a type depend on the value here. */
const CONDITIONS = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'] as const;
const TYPING = ['type', 'format', 'contentEncoding', 'properties', 'items', '$ref', ...CONDITIONS];

class TypeReader {
  readonly faults: Violation[] = [];
  private readonly references: string[] = [];

  constructor(private readonly root: Schema) {}

  nameSpaces(): MapType | undefined {
    const type = this.map(this.root, '');
    for (const [name, inside] of type?.members ?? []) {
      const pointer = `/properties/${escapePointer(name)}`;
      if (name === '') this.fault(pointer, 'must have the name of a name space');
      if (inside.kind !== 'map') this.fault(pointer, 'must be an object with the elements of the name space');
      else if (inside.members.has('')) this.fault(`${pointer}/properties/`, 'must have the name of an element');
    }
    return type;
  }

  private typeOf(schema: unknown, pointer: string): ElementType | undefined {
    if (!isJsonObject(schema)) return this.fault(pointer, 'must be a schema with a type');
    const { $ref: reference, type } = schema;
    if (typeof reference === 'string') return this.referred(reference, pointer);
    if (this.isConditional(schema, pointer)) return undefined;
    const kind = type ?? kindOf(schema);
    if (kind === 'object') return this.map(schema, pointer);
    if (kind === 'array') return this.list(schema, pointer);
    if (kind === 'string') return this.text(schema, pointer);
    const simple = typeof kind === 'string' && Object.hasOwn(SIMPLE, kind) ? SIMPLE[kind] : undefined;
    return simple ?? this.fault(pointer, 'must have one type: string, integer, number, boolean, array or object');
  }

  private text({ format, contentEncoding }: Schema, pointer: string): ElementType | undefined {
    const ofFormat = typeof format === 'string' && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
    if (contentEncoding === undefined) return ofFormat ?? { kind: 'text' };
    if (!ENCODINGS.includes(contentEncoding)) {
      return this.fault(`${pointer}/contentEncoding`, 'must be base64 or base64url');
    }
    if (ofFormat) return this.fault(pointer, 'must have either a format or a contentEncoding: it is a date or bytes');
    return { kind: contentEncoding as 'base64' | 'base64url' };
  }

  private list({ items, prefixItems }: Schema, pointer: string): ElementType | undefined {
    if (prefixItems !== undefined) return this.fault(`${pointer}/prefixItems`, 'must be items: all are of one type');
    const type = this.typeOf(items, `${pointer}/items`);
    return type && { kind: 'list', items: type };
  }

  private map(schema: Schema, pointer: string): MapType | undefined {
    const { properties, patternProperties, additionalProperties = false } = schema;
    if (this.isConditional(schema, pointer)) return undefined;
    for (const [name, value] of Object.entries({ patternProperties, additionalProperties })) {
      if (value === undefined || value === false) continue;
      return this.fault(`${pointer}/${name}`, 'must be left out: each member is named in properties, with its type');
    }
    if (!isJsonObject(properties) || Object.keys(properties).length === 0) {
      return this.fault(pointer, 'must name its members in properties, each with its type');
    }
    const members = Object.entries(properties).flatMap(([name, member]) => {
      const type = this.typeOf(member, `${pointer}/properties/${escapePointer(name)}`);
      return type ? [[name, type] as const] : [];
    });
    return { kind: 'map', members: new Map(members) };
  }

  private referred(reference: string, pointer: string): ElementType | undefined {
    const place = reference.startsWith('#/') ? decodeURIComponent(reference.slice(1)) : undefined;
    const schema = place === undefined ? undefined : valueAt(this.root as JsonObject, place);
    if (place === undefined || schema === undefined || this.references.includes(place)) {
      return this.fault(`${pointer}/$ref`, 'must be a JSON Pointer to another schema in this one, without a circle');
    }
    this.references.push(place);
    const type = this.typeOf(schema, place);
    this.references.pop();
    return type;
  }

  private isConditional(schema: Schema, pointer: string): boolean {
    const found = CONDITIONS.find((keyword) => parts(schema[keyword], keyword).some(isTyping));
    if (found === undefined) return false;
    this.fault(`${pointer}/${found}`, 'must not say what type a member has: it has one, whatever its value is');
    return true;
  }

  private fault(pointer: string, message: string): undefined {
    this.faults.push({ pointer, message });
  }
}

function parts(value: unknown, keyword: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return keyword === 'dependentSchemas' && isJsonObject(value) ? Object.values(value) : [value];
}

function isTyping(schema: unknown): boolean {
  return isJsonObject(schema) && TYPING.some((keyword) => Object.hasOwn(schema, keyword));
}

/** The type of a schema that names none. */
function kindOf({ const: constant, enum: values, properties }: Schema): string | undefined {
  if (isJsonObject(properties)) return 'object';
  const given: readonly unknown[] = constant !== undefined ? [constant] : Array.isArray(values) ? values : [];
  if (given.length > 0 && given.every((value) => Number.isSafeInteger(value))) return 'integer';
  return ['string', 'boolean'].find((kind) => given.length > 0 && given.every((value) => typeof value === kind));
}

function written(value: JsonValue, type: ElementType, pointer: string): CborValue {
  switch (type.kind) {
    case 'map': {
      if (!isJsonObject(value)) throw wrong(pointer, 'must be an object');
      const members = Object.entries(value).map(([name, member]) => {
        const place = `${pointer}/${escapePointer(name)}`;
        const inside = type.members.get(name);
        if (!inside) throw wrong(place, 'is not named in the schema, which has to say its type');
        return [name, written(member, inside, place)] as const;
      });
      return new Map(members);
    }
    case 'list':
      if (!Array.isArray(value)) throw wrong(pointer, 'must be an array');
      return value.map((item, index) => written(item, type.items, `${pointer}/${index}`));
    case 'integer':
      if (typeof value !== 'number' || !Number.isSafeInteger(value))
        throw wrong(pointer, 'must be an integer of at most 2^53 - 1');
      return value;
    case 'number':
      if (typeof value !== 'number') throw wrong(pointer, 'must be a number');
      return value;
    case 'boolean':
      if (typeof value !== 'boolean') throw wrong(pointer, 'must be true or false');
      return value;
    default:
      if (typeof value !== 'string') throw wrong(pointer, 'must be a text');
      return type.kind === 'text' ? value : encoded(value, type.kind, pointer);
  }
}

function encoded(text: string, kind: 'full-date' | 'tdate' | 'base64' | 'base64url', pointer: string): CborValue {
  switch (kind) {
    case 'full-date':
      if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || !isDateTime(`${text}T00:00:00Z`)) {
        throw wrong(pointer, 'must be a date such as 2027-06-30');
      }
      return new Tagged(FULL_DATE, text);
    case 'tdate':
      if (!isDateTime(text)) throw wrong(pointer, 'must be an RFC 3339 date-time such as 2027-06-30T12:00:00Z');
      return new Tagged(DATE_TIME, wholeSeconds(new Date(text.toUpperCase())));
    default: {
      const bytes = Buffer.from(text, kind);
      if (bytes.toString(kind) === text) return bytes;
      throw wrong(
        pointer,
        `must be ${kind} alone${kind === 'base64' ? ', with its padding' : ''}, without white space or a data: prefix`,
      );
    }
  }
}

function wrong(pointer: string, message: string): ClaimsError {
  return new ClaimsError('wrong-type', pointer, message);
}
