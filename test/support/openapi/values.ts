import fc, { type Arbitrary } from 'fast-check';
import type { OpenApiDocument, Schema } from './document';
import type { Json } from '../http/requests';

/** Whether what a schema says about a text is all that there is to say. */
function saysAll(schema: Schema): boolean {
  const alternatives = schema['anyOf'] as Schema[] | undefined;
  if (alternatives) return alternatives.every(saysAll);
  const isForm = typeof schema['pattern'] === 'string' && schema['format'] !== 'uri';
  return isForm || 'const' in schema || 'enum' in schema;
}

/** Values that a schema accepts, most of the time: rules between members are the caller's to check. */
export class SchemaValues {
  /** By pattern: it takes long to prepare one, and many members share a few. */
  private readonly matching = new Map<string, Arbitrary<string>>();

  /** @param known values that exist in the service, by the name of a member or parameter */
  constructor(
    private readonly document: OpenApiDocument,
    private readonly known: Readonly<Record<string, readonly unknown[]>>,
  ) {}

  member(name: string, schema: Schema): Arbitrary<unknown> {
    const known = this.known[name];
    // A member with an enum takes only its values, though members elsewhere have the same name.
    if (!known || Array.isArray(schema['enum'])) return this.of(schema);
    // URLs are not generated, so that no foreign server is called.
    return schema['format'] === 'uri'
      ? fc.constantFrom(...known)
      : fc.oneof(fc.constantFrom(...known), this.of(schema));
  }

  /** A cursor belongs to the list that gave it. */
  cursorOf(operation: string): Arbitrary<unknown> | undefined {
    const known = this.known[`${operation}.cursor`];
    return known && fc.constantFrom(...known);
  }

  of(unresolved: Schema): Arbitrary<unknown> {
    const schema = this.document.resolve(unresolved);
    const alternatives = (schema['oneOf'] ?? schema['anyOf']) as Schema[] | undefined;
    if (Array.isArray(schema['examples'])) {
      const examples = fc.constantFrom(...(schema['examples'] as unknown[]));
      const { examples: _, ...rule } = schema;
      return saysAll(rule) ? fc.oneof(examples, this.of(rule)) : examples;
    }
    if ('const' in schema) return fc.constant(schema['const']);
    if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]));
    if (alternatives && schema['type'] === undefined) return fc.oneof(...alternatives.map((each) => this.of(each)));
    const types = Array.isArray(schema['type']) ? (schema['type'] as string[]) : [schema['type'] as string];
    return fc.oneof(...types.map((type) => this.ofType(type, schema)));
  }

  /** An object of the schema: what it must have, some of what it may have. */
  object(schema: Schema): Arbitrary<Json> {
    const required = (schema['required'] ?? []) as string[];
    const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>);
    const members = properties.map(([name, member]) => [name, this.member(name, member)] as const);
    return fc.record(Object.fromEntries(members), {
      requiredKeys: required.filter((name) => properties.some(([known]) => known === name)),
    });
  }

  private ofType(type: string, schema: Schema): Arbitrary<unknown> {
    switch (type) {
      case 'null':
        return fc.constant(null);
      case 'boolean':
        return fc.boolean();
      case 'integer':
        return fc.integer({ min: Number(schema['minimum'] ?? 0), max: Number(schema['maximum'] ?? 1000) });
      case 'string':
        return this.text(schema);
      case 'array': {
        const length = { minLength: Number(schema['minItems'] ?? 0), maxLength: 3 };
        const items = this.of((schema['items'] ?? { type: 'string' }) as Schema);
        return schema['uniqueItems'] === true ? fc.uniqueArray(items, length) : fc.array(items, length);
      }
      case 'object':
        return this.object(schema);
      default:
        throw new Error(`no values for ${JSON.stringify(schema)}`);
    }
  }

  private text(schema: Schema): Arbitrary<string> {
    if (schema['format'] === 'date-time') {
      const [min, max] = [new Date('2000-01-01T00:00:00Z'), new Date('9999-12-31T23:59:59Z')];
      return fc.date({ min, max, noInvalidDate: true }).map((moment) => moment.toISOString());
    }
    const pattern = schema['pattern'];
    if (typeof pattern === 'string') return this.textOf(pattern);
    const { minLength = 0, maxLength = 12 } = schema as { minLength?: number; maxLength?: number };
    const short = fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 12) });
    // Schemas count characters, of which each of these is two of a JavaScript string.
    return fc.oneof({ arbitrary: short, weight: 9 }, fc.constant('\u{1f3ab}'.repeat(maxLength)));
  }

  private textOf(pattern: string): Arbitrary<string> {
    const known = this.matching.get(pattern);
    if (known !== undefined) return known;
    const made = fc.stringMatching(new RegExp(pattern));
    this.matching.set(pattern, made);
    return made;
  }
}
