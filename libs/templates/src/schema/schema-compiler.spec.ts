import { compileSchema } from './schema-compiler';

const object = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: 'object',
  properties,
  ...more,
});

/** Names that every object inherits something under. */
const inherited = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf'];

const nestedUnder = (name: string) => ({ [name]: { a: [1, { [name]: null }] } });

function isValid(schema: Record<string, unknown>, claims: string): boolean {
  return compileSchema(schema)(JSON.parse(claims));
}

describe.each(inherited)('a claim named %s', (name) => {
  const claim = (value: unknown): string => JSON.stringify({ [name]: value });

  it('can be required', () => {
    expect(isValid({ type: 'object', required: [name] }, '{}')).toBe(false);
    expect(isValid({ type: 'object', required: [name] }, claim(1))).toBe(true);
  });

  it('can be optional', () => {
    const schema = object({ [name]: { type: 'string' } });
    expect(['{}', claim('x'), claim(1)].map((claims) => isValid(schema, claims))).toEqual([true, true, false]);
  });

  it('sets off what depends on it only when it is there', () => {
    for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies']) {
      const depends = keyword === 'dependentSchemas' ? { required: ['b'] } : ['b'];
      const schema = { type: 'object', [keyword]: { [name]: depends } };
      expect([keyword, isValid(schema, '{}'), isValid(schema, claim(1))]).toEqual([keyword, true, false]);
    }
  });

  it('is one too many where no others are allowed', () => {
    const others = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`p${i}`, {}]));
    expect(isValid(object(others, { additionalProperties: false }), claim(1))).toBe(false);
    const evaluated = { patternProperties: { '^x': {} }, unevaluatedProperties: false };
    for (const $schema of [
      'https://json-schema.org/draft/2020-12/schema',
      'https://json-schema.org/draft/2019-09/schema',
    ]) {
      expect(isValid({ $schema, type: 'object', ...evaluated }, claim(1))).toBe(false);
      expect(isValid({ $schema, type: 'object', ...evaluated }, '{"x1":1}')).toBe(true);
      expect(isValid({ $schema, anyOf: [object({ [name]: {} })], unevaluatedProperties: false }, claim(1))).toBe(true);
    }
  });

  it.each([
    ['a constant', { const: nestedUnder(name) }],
    ['one of several values', { enum: [0, nestedUnder(name)] }],
    ['a list of different items', { contains: { const: nestedUnder(name) }, not: { uniqueItems: true } }],
  ])('is compared within %s', (_what, part) => {
    const nested = nestedUnder(name);
    const given = (value: unknown): string => JSON.stringify({ a: 'not' in part ? [nested, value] : value });
    const verdicts = [nested, { [name]: { a: [1, { [name]: 1 }] } }, { [name]: {} }].map((value) =>
      isValid(object({ a: part }), given(value)),
    );
    expect(verdicts).toEqual([true, false, false]);
  });

  it('can name an unknown format', () => {
    expect(isValid(object({ a: { type: 'string', format: name } }), '{"a":"x"}')).toBe(true);
  });
});

describe('values are equal', () => {
  it.each([
    ['whatever the order of members', { a: 1, b: 2 }, '{"b":2,"a":1}', true],
    ['not with a member less', { a: 1, b: 2 }, '{"a":1}', false],
    ['not with a member of another name', { a: 1 }, '{"b":1}', false],
    ['not with a member more', { a: 1 }, '{"a":1,"b":2}', false],
    ['not when one is a list', { 0: 1 }, '[1]', false],
    ['not when one is null', {}, 'null', false],
    ['not when one is text', 1, '"1"', false],
    ['not with another order of items', [1, 2], '[2,1]', false],
    ['not with an item more', [1], '[1,2]', false],
    ['when one is written with an exponent', 100, '1e2', true],
    ['when zero has a sign', [0], '[-0]', true],
  ])('%s', (_what, constant, value, equal) => {
    expect(isValid(object({ a: { const: constant } }), `{"a":${value}}`)).toBe(equal);
    expect(isValid(object({ a: { enum: [constant] } }), `{"a":${value}}`)).toBe(equal);
    const list = object({ a: { uniqueItems: true } });
    expect(isValid(list, `{"a":[${JSON.stringify(constant)},${value}]}`)).toBe(!equal);
  });

  it('says which items of a list are', () => {
    const validate = compileSchema(object({ a: { uniqueItems: true, items: { type: 'string' } } }));
    expect(validate({ a: ['x', '__proto__', 'y', '__proto__'] })).toBe(false);
    expect(validate.errors).toMatchObject([
      { instancePath: '/a', message: expect.stringContaining('1 and 3') as unknown },
    ]);
  });
});

describe('a multiple', () => {
  it.each([
    ['19.99', 0.01, true],
    ['0.07', 0.01, true],
    ['-19.99', 0.01, true],
    ['19.995', 0.01, false],
    ['19.999999999999996', 0.01, false],
    ['1.1', 0.1, true],
    ['4.35', 0.05, true],
    ['1e-7', 1e-8, true],
    ['1e-8', 1e-7, false],
    ['1e300', 1e-300, true],
    ['0', 0.01, true],
    ['9007199254740991', 2, false],
    ['9007199254740990', 2, true],
    ['7', 2.5, false],
    ['7.5', 2.5, true],
  ])('%s of %s: %s, exactly in decimals', (value, divisor, expected) => {
    expect(isValid(object({ a: { multipleOf: divisor } }), `{"a":${value}}`)).toBe(expected);
  });

  it('is asked of numbers only', () => {
    const validate = compileSchema(object({ a: { multipleOf: 0.01 } }));
    expect(validate({ a: 'x' })).toBe(true);
    expect(validate({ a: 0.001 })).toBe(false);
    expect(validate.errors).toMatchObject([{ instancePath: '/a', message: 'must be multiple of 0.01' }]);
  });
});
