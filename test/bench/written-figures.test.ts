import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderChart } from './chart';
import { busySeconds, ofTrees } from './cpu';
import { fasterFloor, floorNodes } from './floors';
import type { FlowRates } from './flow-rates';
import { type Measured, turnByTurn } from './load';
import { lagging } from './growth';
import { conditions, renderFlows, renderGoals } from './report';
import { withFigures } from './written-figures';

const page = readFileSync(join(__dirname, '../../docs/performance.md'), 'utf8');

function measured(perSecond: number, cpu: Measured['cpu']): Measured {
  return { perSecond, p50: 5.04, p99: 9, cpu };
}

const contenders = new Map([
  ['Sealwright', measured(400, { service: 1_800, postgres: 600, generator: 100 })],
  ['floor, Node 20', measured(800, { service: 900, postgres: 300, generator: 100 })],
  ['floor, Node 24', measured(640, { service: 1_200, postgres: 300, generator: 100 })],
  ['Credo', measured(100, { service: 9_000, generator: 100 })],
  ['Sphereon', measured(500, { service: 1_900, generator: 100 })],
]);
const rates: FlowRates = {
  rates: [1, 32].map((inFlight) => ({ flow: 'issuing', inFlight, measured: contenders })),
  memory: new Map([['Sealwright', { peak: 250, idle: undefined }]]),
};

describe('figures of the benchmark', () => {
  it.each(['goals', 'peers', 'flows', 'appends', 'mixed', 'growth'])('have a place on the page: %s', (name) => {
    const written = withFigures(page, { name, lines: ['| new |'] });
    expect(written).toContain(`<!-- figures: ${name} -->\n\n| new |\n\n<!-- end -->`);
    expect(withFigures(written, { name, lines: ['| newer |'] })).not.toContain('| new |');
  });

  it('are not written where the page has no place for them', () => {
    expect(() => withFigures(page, { name: 'weather', lines: [] })).toThrow('"weather"');
    const twice = '<!-- figures: a -->\n<!-- end -->\n<!-- figures: a -->\n<!-- end -->';
    expect(() => withFigures(twice, { name: 'a', lines: [] })).toThrow('one place');
  });

  it('are compared with the faster floor of the same run', () => {
    const row = renderFlows(rates).find((line) => /issuing \|\s+32 \|\s+Sealwright/.test(line));
    expect(row?.split('|').map((cell) => cell.trim())).toEqual([
      '',
      'issuing',
      '32',
      'Sealwright',
      '400',
      '5.0',
      '9.0',
      '1,800',
      '600',
      '100',
      '50 %',
      '',
    ]);
  });

  it('show which goals are reached', () => {
    const results = renderGoals(rates).map((line) =>
      line
        .split('|')
        .slice(2, 5)
        .map((cell) => cell.trim()),
    );
    expect(results.slice(2)).toEqual([
      ['at most 2.5', '2.00', 'reached'],
      ['at most 1.8', '2.00', 'not reached'],
      ['at least 0.5', '0.50', 'reached'],
      ['at least 0.5', 'n/a', 'n/a'],
      ['at least 1', '0.80', 'not reached'],
      ['at least 4', '4.00', 'reached'],
      ['at most 4', 'n/a', 'n/a'],
      ['at most 1.6', '1.00', 'reached'],
      ['at most 50', 'n/a', 'n/a'],
      ['at most 220', '250', 'not reached'],
    ]);
  });

  it('are drawn as bars as long as they are large, and say what is in memory only', () => {
    const chart = renderChart(rates);
    const lengths = [...chart.matchAll(/<rect[^>]* width="(\d+)"/g)].map(([, length]) => Number(length));
    expect(lengths.map((length) => length / (lengths[1] ?? NaN))).toEqual(
      [0.5, 1, 0.8, 0.125, 0.625].map((share) => expect.closeTo(share, 2)),
    );
    expect(chart.match(/in memory/g)).toHaveLength(2);
    expect(chart).toContain('1.80 + 0.60 ms CPU');
    expect(chart).not.toMatch(/undefined|NaN/);
  });
});

describe('a floor', () => {
  const versions: Readonly<Record<string, string>> = {
    [process.execPath]: 'v24.9.0\n',
    other: 'v20.19.1\n',
    same: 'v24.1.0\n',
  };
  const of = (other?: string) => floorNodes(other, (node) => versions[node] ?? '');
  const facts = { version: '18', durability: {}, cpu: () => 0, postmaster: 1 };
  const head = (other?: string) => conditions(facts, of(other), { quick: false, isWatched: true });

  it('runs on both releases of Node where there are two, and is missed where there are not', () => {
    expect(of('other').map(({ name }) => name)).toEqual(['floor, Node 24', 'floor, Node 20']);
    expect(head('other')).not.toContain('no floor');
    expect(head()).toContain('no floor on Node 20: `BENCH_NODE` names none');
    expect(() => of('same')).toThrow('another release of Node than floor, Node 24');
  });

  it('is no measure as long as one of two has no figure', () => {
    expect(fasterFloor(contenders)?.perSecond).toBe(800);
    expect(fasterFloor(new Map([...contenders, ['floor, Node 24', measured(NaN, {})]]))).toBeUndefined();
    expect(fasterFloor(new Map())).toBeUndefined();
  });
});

describe('other work on the machine', () => {
  const stat = (pid: number, parent: number, own: number, ended = 0) => ({ name: 'x', pid, parent, own, ended });

  it('is what no process of the benchmark and none that it started has used', () => {
    const processes = [
      stat(1, 0, 50),
      stat(7, 1, 1, 2),
      stat(8, 7, 4),
      stat(9, 8, 8, 16),
      stat(10, 1, 100),
      stat(20, 1, 32),
    ];
    expect(ofTrees(processes, [7])).toBe(31);
    expect(ofTrees(processes, [7, 20, 9])).toBe(63);
    expect(busySeconds('cpu  100 200 300 9000 4000 10 20 30 5 5\ncpu0 1 2 3 4')).toBe(6.6);
    expect(busySeconds('')).toBeUndefined();
  });

  /** Rounds of 1 ms beside which other work takes so many seconds. */
  async function rounds(count: number, beside: readonly number[]) {
    let [turn, taken, done] = [0, 0, 0];
    const others = () => {
      // Read before and after each round.
      if (turn % 2 === 1) taken += beside[(turn - 1) / 2] ?? 0;
      turn++;
      return taken;
    };
    const lines: string[] = [];
    const told = { note: () => undefined, refused: (line: string) => void lines.push(line) };
    const load = {
      callers: 1,
      until: { times: 1 },
      work: () => Promise.resolve(done++),
      meters: { service: () => done },
    };
    const { flow } = await turnByTurn({ rounds: count, others, ...told }, { flow: load });
    return { done, lines, flow };
  }

  it('lets a round be measured again', async () => {
    expect(await rounds(2, [9, 0, 9])).toMatchObject({ done: 4, lines: [], flow: { cpu: { service: 1e6 } } });
  });

  it('leaves no figure after three times as many rounds as count', async () => {
    const { done, lines, flow } = await rounds(2, [9, 0, 9, 9, 9, 9, 0]);
    expect(done).toBe(6);
    expect(lines).toEqual(['flow, 1 in flight: beside 5 of 6 rounds other work took more than 0.15 of a core.']);
    expect(flow).toEqual({ perSecond: NaN, p50: NaN, p99: NaN, cpu: { service: undefined } });
    const row = renderFlows({
      ...rates,
      rates: [{ flow: 'issuing', inFlight: 32, measured: new Map([['x', flow]]) }],
    })[2];
    expect(row).toMatch(/x \| +n\/a \| +n\/a \| +n\/a \| +n\/a/);
  });
});

describe('growth', () => {
  it('is measured when nothing of the background is behind', () => {
    const lags = (checkpoints: number, offers: number, erasures: number) =>
      [
        '# HELP sealwright_subscription_lag_seconds Age',
        `sealwright_subscription_lag_seconds{subscription="checkpoints"} ${checkpoints}`,
        `sealwright_subscription_lag_seconds{subscription="expiries"} ${offers}`,
        `sealwright_erasure_overdue_seconds ${erasures}`,
      ].join('\n');
    expect(lagging(lags(0, 0, 0))).toEqual([]);
    expect(lagging(lags(1.5, 0, 2))).toEqual(['checkpoints (1.5 s)', 'erasure_overdue (2 s)']);
    expect(lagging('')).toEqual(['checkpoints', 'erasure_overdue']);
  });
});
