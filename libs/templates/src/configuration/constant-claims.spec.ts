import { constantClaims } from './constant-claims';

const object = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: 'object',
  properties,
  ...more,
});

describe('the claims of a schema whose every leaf is const', () => {
  it.each([
    ['plain members', object({ a: { const: 1 }, b: { const: null } }), { a: 1, b: null }],
    ['nested objects', object({ a: object({ b: { const: 'x' } }) }), { a: { b: 'x' } }],
    ['a list by place', object({ a: { type: 'array', prefixItems: [{ const: 1 }, { const: 2 }] } }), { a: [1, 2] }],
    [
      'a list of one length',
      object({ a: { type: 'array', items: { const: 1 }, minItems: 2, maxItems: 2 } }),
      { a: [1, 1] },
    ],
    ['a reference', object({ a: { $ref: '#/$defs/x' } }, { $defs: { x: { const: 'x' } } }), { a: 'x' }],
    ['parts of allOf', object({ a: { const: 1 } }, { allOf: [object({ b: { const: 2 } })] }), { a: 1, b: 2 }],
    ['a single alternative', object({ a: { oneOf: [{ const: 1 }] } }), { a: 1 }],
    ['an object that is closed', object({ a: { const: 1 } }, { additionalProperties: false }), { a: 1 }],
    ['a list that is closed', object({ a: { prefixItems: [{ const: 1 }], items: false } }), { a: [1] }],
    ['a condition without open leaves', object({ a: { const: 1 } }, { not: { const: {} } }), { a: 1 }],
    ['names that every object inherits', object({ toString: { const: 1 } }), { toString: 1 }],
    ['a schema that names no type', { properties: { a: { const: 1 } } }, { a: 1 }],
  ])('are known for %s', async (_name, schema, claims) => {
    expect(await constantClaims({ id: 'open-day', schema })).toEqual(claims);
  });

  it.each([
    ['an open leaf', object({ a: { const: 1 }, b: { type: 'string' } })],
    ['no leaf at all', { type: 'object' }],
    ['empty properties', object({})],
    ['empty properties further in', object({ a: { const: 1 }, b: object({}) })],
    ['empty properties of a part', object({ a: { const: 1 } }, { allOf: [object({})] })],
    ['open additional properties', object({ a: { const: 1 } }, { additionalProperties: { type: 'string' } })],
    ['any additional properties', object({ a: { const: 1 } }, { additionalProperties: true })],
    ['constant additional properties', object({ a: { const: 1 } }, { additionalProperties: { const: 1 } })],
    ['open properties by pattern', object({ a: { const: 1 } }, { patternProperties: { '^b': { type: 'string' } } })],
    ['constant properties by pattern', object({ a: { const: 1 } }, { patternProperties: { '^b': { const: 1 } } })],
    ['additional properties further in', object({ a: object({ b: { const: 1 } }, { additionalProperties: {} }) })],
    ['open unevaluated properties', object({ a: { const: 1 } }, { unevaluatedProperties: { type: 'string' } })],
    ['further items of a list', object({ a: { prefixItems: [{ const: 1 }], items: { type: 'string' } } })],
    ['a condition with an open leaf', object({ a: { const: 1 } }, { not: { required: ['b'] } })],
    ['a dependent part', object({ a: { const: 1 } }, { dependentSchemas: { b: { minProperties: 1 } } })],
    ['an open leaf below a list', object({ a: { type: 'array', prefixItems: [{ const: 1 }, {}] } })],
    ['a list of any length', object({ a: { type: 'array', items: { const: 1 } } })],
    ['a choice', object({ a: { anyOf: [{ const: 1 }, { const: 2 }] } })],
    ['an open reference', object({ a: { $ref: '#/$defs/x' } }, { $defs: { x: { type: 'string' } } })],
    [
      'a circle of references',
      object({ a: { $ref: '#/$defs/x' } }, { $defs: { x: object({ b: { $ref: '#/$defs/x' } }) } }),
    ],
    ['an open part of allOf', object({ a: { const: 1 } }, { allOf: [object({ b: {} })] })],
    ['constants that contradict the rest', object({ a: { const: 1, minimum: 2 } })],
  ])('are not known for %s', async (_name, schema) => {
    expect(await constantClaims({ id: 'open-day', schema })).toBeUndefined();
  });

  it('are not looked for in a schema that this version cannot compile', async () => {
    for (const schema of [{ $schema: 'https://json-schema.org/draft/2031-01/schema' }, { $ref: '#/%' }]) {
      await expect(constantClaims({ id: 'open-day', schema })).rejects.toThrow(
        'The schema stored for open-day cannot be used',
      );
    }
  });
});
