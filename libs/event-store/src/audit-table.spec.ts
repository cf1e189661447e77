import { inTenant } from '@app/primitives/context';
import { auditFilters, listAudit } from './audit-table';
import type { SqlExecutor, Statement } from './database/sql-driver';
import { renderCursor } from './lists/cursor';

describe('a page of the audit', () => {
  it('has another statement for each set of filters, told apart in the 63 characters that PostgreSQL reads', async () => {
    const texts = new Map<string, Set<string>>();
    const executor = {
      query: ({ name, text }: Statement) => {
        const read = name.slice(0, 63);
        texts.set(read, (texts.get(read) ?? new Set()).add(text));
        return Promise.resolve([]);
      },
    } as unknown as SqlExecutor;
    const moments = { from: '2027-01-01T00:00:00Z', to: '2027-02-01T00:00:00Z' };
    const tenant = { id: 'town', mark: 'k3v9q1xz', made: new Map<object, object>() };
    const members = [...auditFilters, ...Object.keys(moments), 'cursor'];
    for (const [category, present] of [['audit', undefined] as const, ['audit~k3v9q1xz', tenant] as const]) {
      const streamId = `${category}-00000000-0000-0000-0000-000000000000`;
      const cursor = renderCursor({ sortedBy: '2027-01-15T00:00:00.000000Z', streamId });
      const all = { ...Object.fromEntries(auditFilters.map((one) => [one, 'x'])), ...moments, cursor };
      for (let set = 0; set < 2 ** members.length; set++) {
        const query = Object.fromEntries(Object.entries(all).filter((_, index) => ((set >> index) & 1) === 1));
        for (const more of 'outcome' in query ? [{}, { outcome: 'ok' }] : [{}])
          await inTenant(present, () => listAudit(executor, { ...query, ...more, limit: 10 }));
      }
    }
    expect([...texts].filter(([, of]) => of.size > 1).map(([name]) => name)).toEqual([]);
    expect(texts.size).toBe(2 * 3 * 2 ** (members.length - 1));
  });
});
