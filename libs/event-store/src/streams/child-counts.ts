import { ofTenant } from '@app/primitives/context';
import type { SqlExecutor } from '../database/sql-driver';
import { instant } from '../database/sql-instant';

interface Counted {
  readonly count: number;
  /** Children created until then are in `count`: a time of the database, in microseconds. */
  readonly until: string;
}

interface Row {
  added: number;
  settled: number;
  until: string;
}

/** So many parents are remembered, those that were asked about last. */
const most = 1_000;

/**
 * Counts the streams that name a parent. Streams are never deleted, so what was counted once is remembered and only what
 * came since is counted, by the index. The last minute is counted again each time: a transaction has its time from its
 * beginning and is seen from its end, which is never so far away (see `statement_timeout`).
 */
export class ChildCounts {
  private readonly counted = new Map<string, Counted>();

  constructor(
    private readonly executor: SqlExecutor,
    private readonly category: string,
  ) {}

  async of(parent: string): Promise<number> {
    const category = ofTenant(this.category);
    const key = `${category} ${parent}`;
    const before = this.counted.get(key) ?? { count: 0, until: '-infinity' };
    const [row] = await this.executor.query<Row>({
      name: 'count-children',
      text: `select count(*)::integer as added, count(*) filter (where created_at <= now() - interval '1 minute')::integer as settled,
          ${instant("(now() - interval '1 minute')")} as until
        from streams where category = $1 and parent = $2 and created_at > $3::text::timestamptz`,
      values: [category, parent, before.until],
    });
    if (row === undefined) return before.count;
    this.counted.delete(key);
    this.counted.set(key, { count: before.count + row.settled, until: row.until });
    const [oldest] = this.counted.keys();
    if (this.counted.size > most && oldest !== undefined) this.counted.delete(oldest);
    return before.count + row.added;
  }
}
