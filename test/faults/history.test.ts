import { acknowledged, type Act, type Effect, effects, judge, type Stored } from './history';

function stored(counts: Partial<Record<Effect, Record<string, number>>>): Stored {
  return Object.fromEntries(effects.map((effect) => [effect, new Map(Object.entries(counts[effect] ?? {}))])) as Record<
    Effect,
    Map<string, number>
  >;
}

const act = (outcome: Act['outcome'], changes: Partial<Act> = {}): Act => ({
  effect: 'offer',
  object: 'a',
  outcome,
  ...changes,
});

describe('the checker of histories', () => {
  it('finds nothing where everything is as answered', () => {
    const history = [
      act('done'),
      act('refused', { object: 'b' }),
      // Asked again after an unknown outcome, with the same answer as if it had been the first.
      act('unknown', { effect: 'credential', object: 'c' }),
      act('done', { effect: 'credential', object: 'c', result: '1' }),
      act('done', { effect: 'credential', object: 'c', result: '1' }),
      act('unknown', { effect: 'issue', object: 'd' }),
      act('unknown', { effect: 'issue', object: 'e' }),
    ];
    expect(judge(history, stored({ offer: { a: 1 }, credential: { c: 1 }, issue: { d: 1 } }))).toEqual({
      lost: [],
      doubled: [],
      refusedButStored: [],
    });
    expect(acknowledged(history)).toEqual({ offer: 1, credential: 1, redemption: 0, issue: 0, withdrawal: 0 });
  });

  it('finds a write that was acknowledged and is not there', () => {
    const history = [act('unknown'), act('done'), act('refused')];
    expect(judge(history, stored({ offer: { b: 1 } })).lost).toEqual(['offer a']);
    // It is there as something else.
    expect(judge(history, stored({ withdrawal: { a: 1 } })).lost).toEqual(['offer a']);
  });

  it.each(['done', 'unknown'] as const)('finds a request that was carried out twice: %s', (outcome) => {
    const history = [act(outcome, { effect: 'credential', object: 'key' })];
    expect(judge(history, stored({ credential: { key: 2 } })).doubled).toEqual(['credential key']);
  });

  it('finds two different results of what can be done once', () => {
    const history = ['token 1', 'token 2'].map((result) =>
      act('done', { effect: 'redemption', object: 'code', result }),
    );
    expect(judge(history, stored({ redemption: { code: 1 } })).doubled).toEqual(['redemption code']);
  });

  it('finds what was carried out although every answer was a rejection', () => {
    expect(judge([act('refused')], stored({ offer: { a: 1 } })).refusedButStored).toEqual(['offer a']);
    expect(judge([act('refused'), act('unknown')], stored({ offer: { a: 1 } })).refusedButStored).toEqual([]);
  });
});
