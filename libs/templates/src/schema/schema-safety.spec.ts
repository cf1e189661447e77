import { Problem } from '@app/primitives/problems';
import { assertSafeSchema, type JsonSchema } from './schema-safety';

/** The place of the fault; `undefined` when there is none. */
async function fault(schema: JsonSchema): Promise<string | undefined> {
  try {
    await assertSafeSchema(schema);
    return undefined;
  } catch (error) {
    if (error instanceof Problem && error.slug === 'invalid-template-schema') return error.violations[0]?.pointer;
    throw error;
  }
}

const withClaim = (claim: unknown): JsonSchema => ({ type: 'object', properties: { a: claim } });
const times = <T>(n: number, make: (index: number) => T): T[] => Array.from({ length: n }, (_, index) => make(index));
const named = (n: number, make: (index: number) => unknown): Record<string, unknown> =>
  Object.fromEntries(times(n, (index) => [`p${index}`, make(index)]));
const nested = (levels: number): unknown =>
  times(levels, () => 0).reduce<unknown>((inner) => ({ not: inner }), { type: 'string' });
/** Each level refers twice to the next one: 2^levels checks. */
const fanOut = (levels: number): JsonSchema => ({
  ...withClaim({ $ref: '#/$defs/p0' }),
  $defs: named(levels, (index) =>
    index === levels - 1 ? true : { anyOf: times(2, () => ({ $ref: `#/$defs/p${index + 1}` })) },
  ),
});

describe('a schema is refused with the place of', () => {
  it.each<[string, JsonSchema, string]>([
    ['a root that is no object', { type: 'array' }, '/schema/type'],
    ['a root of several types without objects', { type: ['array', 'null'] }, '/schema/type'],
    ['a root of no type at all', { type: null }, '/schema/type'],
    ['more than 64 KiB', { ...withClaim({}), description: 'x'.repeat(65536) }, '/schema'],
    ['too many levels', withClaim(nested(40)), '/schema/properties/a' + '/not'.repeat(31)],
    ['too many levels of data', withClaim({ const: nested(40) }), '/schema/properties/a/const' + '/not'.repeat(30)],
    ['more than 500 properties', { type: 'object', properties: named(501, () => true) }, '/schema'],
    [
      'more than 500 properties in all parts together',
      { type: 'object', allOf: times(2, () => ({ properties: named(251, () => true) })) },
      '/schema',
    ],
    ['more than 1000 schemas', withClaim({ anyOf: times(1000, () => ({ const: 1 })) }), '/schema'],
    ['branches that double 20 times', fanOut(20), '/schema'],
    ['a remote reference', withClaim({ $ref: 'https://x.example/s' }), '/schema/properties/a/$ref'],
    ['a relative reference', withClaim({ $ref: 'other.json#/a' }), '/schema/properties/a/$ref'],
    ['a reference to nothing', withClaim({ $ref: '#/$defs/none' }), '/schema/properties/a/$ref'],
    [
      'a reference to what is no schema',
      { ...withClaim({ $ref: '#/x-parts/b' }), 'x-parts': { b: { pattern: '(a+)+$' } } },
      '/schema/properties/a/$ref',
    ],
    [
      'a reference to nothing in draft-07',
      { type: 'object', $schema: 'http://json-schema.org/draft-07/schema#', allOf: [{ $ref: '#/x' }] },
      '/schema/allOf/0/$ref',
    ],
    ['a malformed reference', withClaim({ $ref: '#%' }), '/schema/properties/a/$ref'],
    ['a dynamic reference', withClaim({ items: { $dynamicRef: '#b' } }), '/schema/properties/a/items/$dynamicRef'],
    ['a recursive reference', withClaim({ $recursiveRef: '#' }), '/schema/properties/a/$recursiveRef'],
    ['an identifier further in', { type: 'object', $defs: { 'a/b': { $id: 'https://x' } } }, '/schema/$defs/a~1b/$id'],
    ['another dialect', { type: 'object', $schema: 'http://json-schema.org/draft-04/schema#' }, '/schema/$schema'],
    ['a dialect that is no text', { $schema: 7 }, '/schema/$schema'],
    [
      'another dialect further in',
      withClaim({ $schema: 'http://json-schema.org/draft-07/schema#' }),
      '/schema/properties/a/$schema',
    ],
    ['an asynchronous check', { type: 'object', $async: true }, '/schema/$async'],
    ['a reference to data', withClaim({ maxLength: { $data: '1/b' } }), '/schema/properties/a/maxLength'],
    ['unique items of any kind', withClaim({ uniqueItems: true }), '/schema/properties/a/uniqueItems'],
    [
      'unique objects without end',
      withClaim({ uniqueItems: true, items: { type: 'object' }, maxItems: 201 }),
      '/schema/properties/a/uniqueItems',
    ],
    ['a pattern that is none', withClaim({ pattern: '(' }), '/schema/properties/a/pattern'],
    ['a slow pattern', withClaim({ pattern: '^(a+)+$' }), '/schema/properties/a/pattern'],
    [
      'a slow pattern for names',
      { type: 'object', patternProperties: { '^(a|a)*$/~': {} } },
      '/schema/patternProperties/^(a|a)*$~1~0',
    ],
    [
      'a slow pattern behind keywords',
      { type: 'object', allOf: [{ if: { propertyNames: { pattern: '\\s+$' } } }] },
      '/schema/allOf/0/if/propertyNames/pattern',
    ],
  ])('%s', async (_what, schema, pointer) => {
    expect(await fault(schema)).toBe(pointer);
  });
});

describe('a dialect that is not understood', () => {
  it.each([
    ['http://json-schema.org/draft-04/schema#', 'draft-04'],
    ['http://json-schema.org/draft-06/schema', 'draft-06'],
    ['https://json-schema.org/draft/next/schema', 'draft/next'],
    ['https://json-schema.org/draft/2019-09/hyper-schema', 'draft/2019-09'],
  ])('%s is refused by name, with what to write', async ($schema, name) => {
    const refusal = assertSafeSchema({ $schema });
    await expect(refusal).rejects.toThrow(`names ${name}, which is not supported`);
    await expect(refusal).rejects.toThrow('write https://json-schema.org/draft/2020-12/schema');
  });
});

describe('a schema may', () => {
  it.each<[string, JsonSchema]>([
    ['have 500 properties', { type: 'object', properties: named(500, () => ({ type: 'string' })) }],
    ['branch', fanOut(8)],
    ['describe lists of itself', withClaim({ type: 'array', items: { $ref: '#' } })],
    ['want unique plain items', withClaim({ uniqueItems: true, items: { type: 'string' } })],
    ['want some unique objects', withClaim({ uniqueItems: true, maxItems: 200 })],
    ['leave out that it is an object', { properties: { a: { type: 'string' } } }],
    ['say so in a list', { type: ['object'] }],
    ['allow more than objects', { type: ['null', 'object'] }],
    [
      'be in draft 2019-09',
      { $schema: 'https://json-schema.org/draft/2019-09/schema', dependentRequired: { a: ['b'] } },
    ],
    ['end the name of its dialect with #', { $schema: 'https://json-schema.org/draft/2020-12/schema#' }],
    ['have an identifier', { ...withClaim({}), $id: 'https://x.example/s' }],
    [
      'describe claims named like keywords',
      { type: 'object', properties: { $async: {}, pattern: { type: 'string' }, $ref: {}, uniqueItems: {}, $id: {} } },
    ],
    ['hold data that looks like a schema', withClaim({ const: { $ref: 'https://x', pattern: '(a+)+$' } })],
    ['encode its references', { ...withClaim({ $ref: '#/$defs/a%25b~1c' }), $defs: { 'a%b/c': true } }],
  ])('%s', async (_what, schema) => {
    expect(await fault(schema)).toBe(undefined);
  });
});
