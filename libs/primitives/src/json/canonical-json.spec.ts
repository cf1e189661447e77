import fc from 'fast-check';
import { canonicalJson } from './canonical-json';

describe('canonical JSON', () => {
  it('has the members of every object in the order of their names', () => {
    expect(canonicalJson({ b: [{ d: 1, c: null }], a: 'ä"\n', '': true })).toBe(
      '{"":true,"a":"ä\\"\\n","b":[{"c":null,"d":1}]}',
    );
  });

  it('leaves out what JSON leaves out', () => {
    const value = { a: undefined, b: [undefined, Symbol('s')], c: () => 1, d: new Date(0), e: Number.NaN, f: -0 };
    expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
  });

  it('is one text for a value, however its members came, and reads back as the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(reversed(JSON.parse(text)))).toBe(text);
      }),
    );
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  );
}
