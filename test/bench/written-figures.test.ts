import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderChart } from './chart';
import type { FlowRates } from './flow-rates';
import type { Measured } from './load';
import { renderFlows, renderGoals } from './report';
import { withFigures } from './written-figures';

const page = readFileSync(join(__dirname, '../../docs/performance.md'), 'utf8');

function measured(perSecond: number, cpu: Measured['cpu']): Measured {
  return { perSecond, p50: 5.04, p99: 9, cpu };
}

const contenders = new Map([
  ['Sealwright', measured(400, { service: 1_800, postgres: 600, generator: 100 })],
  ['floor', measured(800, { service: 900, postgres: 300, generator: 100 })],
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

  it('are compared with the floor of the same run', () => {
    const row = renderFlows(rates).find((line) => /issuing \|\s+32 \| Sealwright/.test(line));
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
      ['at most 1.9', '1.80', 'reached'],
      ['at most 0.5', '0.60', 'not reached'],
      ['at least 0.5', '0.50', 'reached'],
      ['at least 1.0', '0.80', 'not reached'],
      ['at least 5.0', '4.00', 'not reached'],
      ['at most 6.0', '5.04', 'reached'],
    ]);
  });

  it('are drawn as bars as long as they are large, and say what is in memory only', () => {
    const chart = renderChart(rates);
    const lengths = [...chart.matchAll(/<rect[^>]* width="(\d+)"/g)].map(([, length]) => Number(length));
    expect(lengths.map((length) => length / (lengths[1] ?? NaN))).toEqual(
      [0.5, 1, 0.125, 0.625].map((share) => expect.closeTo(share, 2)),
    );
    expect(chart.match(/in memory/g)).toHaveLength(2);
    expect(chart).toContain('1.80 + 0.60 ms CPU');
    expect(chart).not.toMatch(/undefined|NaN/);
  });
});
