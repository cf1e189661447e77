import { CheckLane } from './check-lane';
import type { SchemaCheck } from './check-thread';

const wanted = (): boolean => true;
const withPattern = (pattern: string) => ({ properties: { a: { type: 'string', pattern } } });
const ordinary: SchemaCheck = {
  key: 'ordinary',
  schema: withPattern('^a+$'),
  isNew: false,
  values: 5,
  claims: { a: 'aa' },
};
/** Takes years. */
const slow: SchemaCheck = {
  key: 'slow',
  schema: withPattern('^(a|a)*$'),
  isNew: false,
  values: 5,
  claims: { a: `${'a'.repeat(60)}!` },
};

let lane: CheckLane;
beforeEach(() => (lane = new CheckLane({ threads: 1, longest: 20 })));
afterEach(() => lane.end());

describe('a lane of checks', () => {
  it('says what is wrong with claims', async () => {
    expect(await lane.run(ordinary, wanted)).toMatchObject({ kind: 'checked', faults: [] });
    const message = expect.stringContaining('must match pattern') as unknown;
    expect(await lane.run({ ...ordinary, claims: { a: 'b' } }, wanted)).toMatchObject({
      kind: 'checked',
      faults: [{ path: '/a', message }],
    });
  });

  it('ends what takes too long and goes on with another thread', async () => {
    expect(await lane.run(slow, wanted)).toMatchObject({ kind: 'overrun' });
    expect(await lane.run(ordinary, wanted)).toMatchObject({ kind: 'checked' });
  });

  it.each([
    ['errors', { items: { allOf: Array.from({ length: 500 }, () => ({ type: 'string' })) } }],
    [
      'names that are missing',
      { items: { allOf: [{ required: Array.from({ length: 500 }, (_, index) => `p${index}`) }] } },
    ],
    [
      'errors of items that are looked for',
      { allOf: Array.from({ length: 50 }, () => ({ contains: { type: 'string' } })) },
    ],
    ['errors of a definition', { allOf: Array.from({ length: 50 }, () => ({ $ref: '#/$defs/b' })) }],
  ])('ends what leads to too many %s before it takes the memory', async (_what, part) => {
    const schema = { properties: { a: part }, $defs: { b: { items: { type: 'string' } } } };
    const claims = { a: Array.from({ length: 50_000 }, () => ({})) };
    const patient = new CheckLane({ threads: 1, longest: 600_000 });
    const greedy = { key: 'greedy', schema, values: 1000, isNew: false, claims };
    expect(await patient.run(greedy, wanted)).toMatchObject({ kind: 'overrun' });
    expect(await patient.run({ ...greedy, claims: { a: [{}] } }, wanted)).toMatchObject({ kind: 'checked' });
    await patient.end();
  });

  it('skips work that was cancelled when its turn comes', async () => {
    let isWanted = true;
    const [first, second] = [lane.run(slow, wanted), lane.run(slow, () => isWanted)];
    isWanted = false;
    expect(await first).toMatchObject({ kind: 'overrun' });
    expect(await second).toBeUndefined();
  });

  it('says why a schema cannot be compiled, and compiles the next one', async () => {
    const schema = { properties: { a: { pattern: '(' } } };
    expect(await lane.run({ ...ordinary, key: 'odd', schema }, wanted)).toMatchObject({ kind: 'unusable' });
    const malformed = { properties: { a: { type: 'strin' } } };
    expect(await lane.run({ ...ordinary, key: 'new', schema: malformed, isNew: true }, wanted)).toMatchObject({
      kind: 'unusable',
      message: expect.stringContaining('must be one of "array"') as unknown,
      path: '/properties/a/type',
    });
    expect(await lane.run(ordinary, wanted)).toMatchObject({ kind: 'checked' });
  });
});
