import addFormats from 'ajv-formats';
import { patternVerdicts } from './pattern-safety';
import { isProportionate, quickFormats, sizeOf, valuesIn } from './schema-cost';

const withClaim = (claim: unknown) => ({ type: 'object', properties: { a: claim } });

describe('a check takes time in proportion to schema and claims', () => {
  it.each<[string, Record<string, unknown>]>([
    ['types and lengths', withClaim({ type: 'string', maxLength: 200 })],
    ['dates', withClaim({ type: 'string', format: 'date' })],
    ['parts of all kinds', { ...withClaim({ items: { not: { const: 1 } } }), allOf: [{ required: ['a'] }] }],
    ['claims called like keywords', { properties: { pattern: {}, $ref: {}, format: { type: 'string' } } }],
    ['data that looks like a schema', withClaim({ const: { pattern: '(a+)+$', $ref: '#' } })],
    ['cents', withClaim({ multipleOf: 0.01 })],
  ])('for %s', (_what, schema) => {
    expect(isProportionate(schema)).toBe(true);
  });

  it.each<[string, Record<string, unknown>]>([
    ['a pattern', withClaim({ pattern: 'a' })],
    ['patterns of names', { patternProperties: { a: {} } }],
    ['a pattern behind keywords', { allOf: [{ if: { propertyNames: { pattern: 'a' } } }] }],
    ['unique items', withClaim({ uniqueItems: true })],
    ['itself', withClaim({ $ref: '#' })],
    ['definitions', { ...withClaim({ $ref: '#/$defs/b' }), $defs: { b: true } }],
    ['web addresses', withClaim({ format: 'url' })],
    ['regular expressions', withClaim({ format: 'regex' })],
    ['an unknown format', withClaim({ format: 'x' })],
    ['a divisor of three hundred digits', withClaim({ multipleOf: 1e-300 })],
  ])('but not for %s', (_what, schema) => {
    expect(isProportionate(schema)).toBe(false);
  });

  it('as no expression of these formats can be matched in many ways', async () => {
    const expressions = quickFormats.map((name) => addFormats.get(name)).filter((format) => format instanceof RegExp);
    expect(expressions.length).toBeGreaterThan(4);
    const verdicts = await patternVerdicts(expressions.map(({ source }) => source));
    expect([...verdicts.values()].filter((verdict) => verdict === 'vulnerable')).toEqual([]);
  });
});

describe('the size of claims', () => {
  it('counts values, and long texts and names by their length', () => {
    expect(sizeOf({ a: [1, null, {}] }, 100)).toBeCloseTo(5.1);
    expect(sizeOf(['x'.repeat(1000)], 1000)).toBe(102);
    expect(sizeOf({ ['x'.repeat(1000)]: true }, 1000)).toBe(102);
  });

  it('is not counted to its end when it is too large', () => {
    const endless = new Proxy(
      {},
      {
        ownKeys: () => Array.from({ length: 50 }, (_, index) => `p${index}`),
        getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
        get: () => endless,
      },
    );
    expect(sizeOf(endless, 100)).toBeGreaterThan(100);
  });
});

it('the values of a schema are those at every level', () => {
  expect(valuesIn({ type: 'object', properties: { a: { enum: [1, 2] } }, required: [] })).toBe(8);
});
