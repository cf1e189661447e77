import { assertUsableSchema, violationsOf } from './json-schema';
import { repeatsRepetition } from './pattern';

const withPattern = (pattern: string) => ({ type: 'object', properties: { a: { type: 'string', pattern } } });

describe('a pattern', () => {
  it.each([
    '^(a+)+$',
    '(a*)*',
    '([a-z]+ ?)+$',
    '((ab)*c)+',
    '(?:x+){2,}',
    '(x{1,50}){1,50}',
    '(\\w+\\s?)*$',
    '((a+))*',
  ])('that repeats a repetition is recognised: %s', (pattern) => {
    expect(repeatsRepetition(pattern)).toBe(true);
  });

  it.each([
    '^[a-z]+$',
    '^\\d{4}-\\d{2}$',
    '(ab)+',
    '(a+b)?',
    '^(foo|bar)*$',
    '[(+]+',
    '\\(a+\\)+',
    '(\\d{3}-)+',
    '(a{2}){3}',
  ])('of every day is none: %s', (pattern) => {
    expect(repeatsRepetition(pattern)).toBe(false);
    expect(() => {
      assertUsableSchema(withPattern(pattern));
    }).not.toThrow();
  });
});

describe('a schema', () => {
  it.each([
    ['refers to itself without end', { type: 'object', allOf: [{ $ref: '#' }] }, '/schema'],
    ['is asynchronous', { type: 'object', $async: true }, '/schema/$async'],
    ['has a slow pattern', withPattern('^(a+)+$'), '/schema/properties/a/pattern'],
    [
      'has a slow pattern as name',
      { type: 'object', patternProperties: { '^(a+)+$': {} } },
      '/schema/patternProperties',
    ],
  ])('that %s is refused', (_what, schema, pointer) => {
    expect(() => {
      assertUsableSchema(schema);
    }).toThrow(`The schema cannot be used: ${pointer} `);
  });

  it('stops at claims that take too long, whatever the pattern', () => {
    const started = performance.now();
    const claims = { a: `${'a'.repeat(40)}!` };
    expect(violationsOf(withPattern('^(a|a)*$'), claims, '/claims')).toEqual([
      { pointer: '/claims', message: expect.stringContaining('takes too long') as unknown },
    ]);
    expect(performance.now() - started).toBeLessThan(2000);
    expect(violationsOf(withPattern('^(a|a)*$'), { a: 'aa' }, '/claims')).toEqual([]);
  });

  it('lists at most a hundred violations', () => {
    const schema = { type: 'object', properties: { a: { type: 'array', items: { type: 'string' } } } };
    expect(violationsOf(schema, { a: Array.from({ length: 5000 }, () => 1) }, '')).toHaveLength(100);
  });
});
