import { assertUsableSchema, type JsonSchema, violationsOf } from './json-schema';

const rule = (schema: JsonSchema) => ({ id: 'membership', schema });
const withPattern = (pattern: string) => ({ type: 'object', properties: { a: { type: 'string', pattern } } });

describe('a schema', () => {
  it('that refers to itself without end is refused', async () => {
    const schema = { type: 'object', allOf: [{ $ref: '#' }] };
    await expect(assertUsableSchema(schema)).rejects.toThrow('The schema cannot be used: /schema ');
  });

  it.each([
    ['2020-12', { type: 'object', properties: { a: { $ref: '#/$defs/b' } }, $defs: { b: { type: 'string' } } }],
    [
      'draft-07',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: { a: { $ref: '#b' } },
        definitions: { b: { $id: '#b', type: 'string' } },
      },
    ],
    [
      '2019-09',
      {
        $schema: 'https://json-schema.org/draft/2019-09/schema#',
        properties: { a: { items: [{ type: 'string' }], $ref: '#/$defs/b' } },
        $defs: { b: { type: 'string' } },
      },
    ],
    [
      'its anchors',
      { type: 'object', properties: { a: { $ref: '#b' } }, $defs: { c: { $anchor: 'b', type: 'string' } } },
    ],
  ])('in the words of %s is followed', async (_what, schema) => {
    await assertUsableSchema(schema);
    expect(await violationsOf(rule(schema), { a: 'x' }, '')).toEqual([]);
    expect(await violationsOf(rule(schema), { a: 1 }, '')).toEqual([{ pointer: '/a', message: 'must be string' }]);
  });

  it('of 500 properties leaves the other work alone while it is compiled', async () => {
    const properties = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`p${index}`, { type: 'string' }]));
    let turns = 0;
    let isOver = false;
    const others = (): void => {
      turns++;
      if (!isOver) setImmediate(others);
    };
    others();
    await assertUsableSchema({ type: 'object', properties });
    expect(await violationsOf(rule({ type: 'object', properties }), { p7: 1 }, '')).toHaveLength(1);
    isOver = true;
    expect(turns).toBeGreaterThan(20);
  });

  it('stops at claims that take too long, whatever the pattern', async () => {
    const claims = { a: `${'a'.repeat(40)}!` };
    expect(await violationsOf(rule(withPattern('^(a|a)*$')), claims, '/claims')).toEqual([
      { pointer: '/claims', message: expect.stringContaining('takes too long') as unknown },
    ]);
    expect(await violationsOf(rule(withPattern('^(a|a)*$')), { a: 'aa' }, '/claims')).toEqual([]);
  });

  it('lists at most a hundred violations', async () => {
    const schema = { type: 'object', properties: { a: { type: 'array', items: { type: 'string' } } } };
    expect(await violationsOf(rule(schema), { a: Array.from({ length: 5000 }, () => 1) }, '')).toHaveLength(100);
  });

  it('that this version cannot compile is named when claims are checked', async () => {
    const schema = { $schema: 'https://json-schema.org/draft/2031-01/schema' };
    const checked = async () => violationsOf(rule(schema), {}, '');
    await expect(checked()).rejects.toThrow('The schema stored for membership cannot be used');
    expect(await violationsOf({ id: 'membership' }, {}, '')).toEqual([]);
  });

  it('names each claim that it did not expect', async () => {
    const schema = { properties: { a: {} }, unevaluatedProperties: false };
    expect(await violationsOf(rule(schema), { a: 1, 'b/c': 1 }, '/claims')).toMatchObject([
      { pointer: '/claims/b~1c' },
    ]);
  });

  it('is judged alike in a thread', async () => {
    const schema = {
      properties: {
        constructor: { pattern: '^[a-z]+$' },
        price: { multipleOf: 0.01 },
        list: { uniqueItems: true, maxItems: 9 },
      },
      required: ['toString'],
    };
    await assertUsableSchema(schema);
    const list = [{ toString: 1 }, { toString: 2 }];
    expect(await violationsOf(rule(schema), { price: 19.99, list, toString: 1 }, '')).toEqual([]);
    expect(await violationsOf(rule(schema), { price: 19.999, list }, '')).toEqual([
      { pointer: '/toString', message: 'is required' },
      { pointer: '/price', message: 'must be multiple of 0.01' },
    ]);
  });
});
