import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(__dirname, '../../docs/decisions');
const index = readFileSync(join(folder, 'README.md'), 'utf8');
const records = readdirSync(folder).filter((name) => /^\d{4}-/.test(name));

/** What the line says that begins with `label: `. */
function lineOf(record: string, label: string): string {
  const text = readFileSync(join(folder, record), 'utf8');
  return new RegExp(`^${label}: (.+)$`, 'm').exec(text)?.[1] ?? '';
}

describe('the decision records', () => {
  it('have one number each, without a gap', () => {
    const numbers = records.map((name) => Number(name.slice(0, 4))).sort((one, other) => one - other);
    expect(numbers).toEqual(numbers.map((_, position) => position + 1));
    expect(numbers.length).toBeGreaterThan(40);
  });

  it.each(records)('are in the index with title, date and status: %s', (record) => {
    const row = index.split('\n').find((line) => line.includes(`](${record})`)) ?? '';
    const [, , decision = '', date, status = ''] = row.split('|').map((cell) => cell.trim());
    expect(decision).not.toBe('');
    expect(date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(lineOf(record, 'Date')).toBe(date);
    expect(status).toMatch(/^(accepted|superseded by \d{4})(, amended by \d{4}(, \d{4})*)?$/);
    // The record says more: what a newer one changes.
    const said = lineOf(record, 'Status').replaceAll(/\]\([^)]*\)| \([^)]*\)|\[/g, '');
    expect(said).toContain(status.split(',', 1)[0]);
    for (const [number] of status.matchAll(/\d{4}/g)) expect(said).toContain(number);
  });
});
