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
  ])('are known for %s', (_name, schema, claims) => {
    expect(constantClaims(schema)).toEqual(claims);
  });

  it.each([
    ['an open leaf', object({ a: { const: 1 }, b: { type: 'string' } })],
    ['no leaf at all', { type: 'object' }],
    ['an open leaf below a list', object({ a: { type: 'array', prefixItems: [{ const: 1 }, {}] } })],
    ['a list of any length', object({ a: { type: 'array', items: { const: 1 } } })],
    ['a choice', object({ a: { anyOf: [{ const: 1 }, { const: 2 }] } })],
    ['an open reference', object({ a: { $ref: '#/$defs/x' } }, { $defs: { x: { type: 'string' } } })],
    ['a circle of references', object({ a: { $ref: '#/$defs/x' } }, { $defs: { x: { $ref: '#/$defs/x' } } })],
    ['an open part of allOf', object({ a: { const: 1 } }, { allOf: [object({ b: {} })] })],
    ['constants that contradict the rest', object({ a: { const: 1, minimum: 2 } })],
  ])('are not known for %s', (_name, schema) => {
    expect(constantClaims(schema)).toBeUndefined();
  });
});
