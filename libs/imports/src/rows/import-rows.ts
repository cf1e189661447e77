import type { SqlExecutor } from '@app/event-store';
import { currentMark } from '@app/primitives/context';

export const rowStates = [
  'unchecked',
  'ready',
  'faulty',
  'duplicate',
  'already-offered',
  'already-issued',
  'created',
  'failed',
] as const;
/** `duplicate`: an earlier row of the file says the same; `failed`: it was refused when it was to be offered. */
export type RowState = (typeof rowStates)[number];

/** A row as it is stored. */
export interface StoredRow {
  readonly row: number;
  readonly state: RowState;
  readonly version: number;
  readonly twin: number | null;
  readonly sealed: string;
}

/** What a check has found, or a run has made. */
export interface RowResult {
  readonly row: number;
  /** The one that was looked at. */
  readonly version: number;
  readonly state: RowState;
  readonly same: string | null;
  readonly sealed: string;
}

export type RowCounts = Readonly<Partial<Record<RowState, number>>>;

/** Rows of a statement, which looks each up by its place. */
const changedAtOnce = 500;

const columns = 'n as "row", state, version, twin, sealed';

/** The rows of `import_rows`, of the tenant at hand. */
export class ImportRows {
  constructor(private readonly executor: SqlExecutor) {}

  /** Those that are there already stay as they are. */
  async add(importId: string, rows: readonly { readonly row: number; readonly sealed: string }[]): Promise<void> {
    await this.executor.query({
      name: 'import-rows-add',
      text: `insert into import_rows (tenant, import_id, n, state, sealed)
        select $1, $2, n, 'unchecked', sealed from unnest($3::int[], $4::text[]) as r (n, sealed) on conflict do nothing`,
      values: [currentMark(), importId, rows.map(({ row }) => row), rows.map(({ sealed }) => sealed)],
    });
  }

  async counts(importId: string): Promise<RowCounts> {
    const found = await this.executor.query<{ state: RowState; count: number }>({
      name: 'import-rows-count',
      text: 'select state, count(*)::int as count from import_rows where tenant = $1 and import_id = $2 group by state',
      values: [currentMark(), importId],
    });
    return Object.fromEntries(found.map(({ state, count }) => [state, count]));
  }

  /** Rises with each change of a row. */
  async revision(importId: string): Promise<number> {
    const [found] = await this.executor.query<{ revision: number }>({
      name: 'import-rows-revision',
      text: 'select coalesce(sum(version), 0)::int as revision from import_rows where tenant = $1 and import_id = $2',
      values: [currentMark(), importId],
    });
    return found?.revision ?? 0;
  }

  async find(importId: string, row: number): Promise<StoredRow | undefined> {
    const [found] = await this.executor.query<StoredRow>({
      name: 'import-row',
      text: `select ${columns} from import_rows where tenant = $1 and import_id = $2 and n = $3::int`,
      values: [currentMark(), importId, row],
    });
    return found;
  }

  /** In their order. @param state of all when absent */
  list(importId: string, state: RowState | undefined, after: number, limit: number): Promise<StoredRow[]> {
    return this.executor.query<StoredRow>({
      name: state === undefined ? 'import-rows-list' : 'import-rows-in-state',
      text: `select ${columns} from import_rows where tenant = $1 and import_id = $2 and n > $3::int
        ${state === undefined ? '' : 'and state = $5'} order by n limit $4::int`,
      values: [currentMark(), importId, after, limit, ...(state === undefined ? [] : [state])],
    });
  }

  /** Those that this round has not checked yet; what has become a credential, or was erased, needs no check. */
  toCheck(importId: string, round: number, limit: number): Promise<StoredRow[]> {
    return this.executor.query<StoredRow>({
      name: 'import-rows-to-check',
      text: `select ${columns} from import_rows where tenant = $1 and import_id = $2 and checked < $3::int and state <> 'created' and sealed <> ''
        order by checked, n limit $4::int`,
      values: [currentMark(), importId, round, limit],
    });
  }

  /** @returns the rows that nobody has changed since */
  async settle(importId: string, round: number, results: readonly RowResult[]): Promise<ReadonlySet<number>> {
    const changed = await this.executor.query<{ row: number }>({
      name: 'import-rows-settle',
      text: `update import_rows r set state = s.state, same = s.same, sealed = s.sealed, checked = $3::int, version = r.version + 1,
          twin = null
        from unnest($4::int[], $5::int[], $6::text[], $7::text[], $8::text[]) as s (n, version, state, same, sealed)
        where r.tenant = $1 and r.import_id = $2 and r.n = any($4::int[]) and r.n = s.n and r.version = s.version returning r.n as "row"`,
      values: [
        currentMark(),
        importId,
        round,
        ...columnsOf(results, ({ row, version, state, same, sealed }) => [row, version, state, same, sealed], 5),
      ],
    });
    return new Set(changed.map(({ row }) => row));
  }

  /** Says of rows that are ready whether an earlier one is the same. */
  async markDuplicates(importId: string): Promise<void> {
    // What has become a credential comes before all others.
    const changed = await this.executor.query<{ row: number; twin: number | null }>({
      name: 'import-rows-duplicates',
      text: `select n as "row", case when first < n then abs(first) end as twin
        from (select n, state, twin, min(case state when 'created' then -n else n end) over (partition by same) as first
          from import_rows where tenant = $1 and import_id = $2 and state in ('ready', 'duplicate', 'created') and same is not null) as f
        where state in ('ready', 'duplicate')
          and (state, coalesce(twin, n)) is distinct from (case when first < n then 'duplicate' else 'ready' end, abs(first))`,
      values: [currentMark(), importId],
    });
    for (let at = 0; at < changed.length; at += changedAtOnce) {
      const some = changed.slice(at, at + changedAtOnce);
      await this.executor.query({
        name: 'import-rows-twins',
        text: `update import_rows r set state = case when s.twin is null then 'ready' else 'duplicate' end, twin = s.twin,
            version = r.version + 1
          from unnest($3::int[], $4::int[]) as s (n, twin)
          where r.tenant = $1 and r.import_id = $2 and r.n = any($3::int[]) and r.n = s.n and r.state in ('ready', 'duplicate')`,
        values: [currentMark(), importId, ...columnsOf(some, ({ row, twin }) => [row, twin], 2)],
      });
    }
  }

  /** What is known of a person goes, from the rows that say the same as well; that there were rows stays. */
  async forget(importId: string, row: number): Promise<void> {
    await this.executor.query({
      name: 'import-row-forget',
      text: `update import_rows set sealed = '', same = null, version = version + 1 where tenant = $1 and import_id = $2
        and (n = $3::int or (state = 'duplicate' and twin = $3::int))`,
      values: [currentMark(), importId, row],
    });
  }

  async remove(importId: string): Promise<void> {
    await this.executor.query({
      name: 'import-rows-remove',
      text: 'delete from import_rows where tenant = $1 and import_id = $2',
      values: [currentMark(), importId],
    });
  }
}

function columnsOf<T>(items: readonly T[], valuesOf: (item: T) => readonly unknown[], count: number): unknown[][] {
  const rows = items.map(valuesOf);
  return Array.from({ length: count }, (_, at) => rows.map((values) => values[at]));
}
