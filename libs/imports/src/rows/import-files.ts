import type { SqlExecutor } from '@app/event-store';
import { currentMark } from '@app/primitives/context';

/** An import that a process may look after. */
export interface DueImport {
  readonly importId: string;
  readonly tenant: string;
}

/** The rows of `imports` and `import_files`. */
export class ImportFiles {
  constructor(private readonly executor: SqlExecutor) {}

  /** Has it looked after, now or later. Before what there is to do is stored, so that it is never forgotten. */
  async wake(importId: string, seconds = 0): Promise<void> {
    await this.executor.query({
      name: 'import-wake',
      text: `insert into imports (tenant, import_id, due) values ($1, $2, now() + make_interval(secs => $3::int))
        on conflict (tenant, import_id) do update set due = excluded.due`,
      values: [currentMark(), importId, seconds],
    });
  }

  /** There is nothing to do, unless it was woken lately. */
  async rest(importId: string): Promise<void> {
    await this.executor.query({
      name: 'import-rest',
      text: `update imports set due = case when due > now() - interval '30 seconds' then due end where tenant = $1 and import_id = $2`,
      values: [currentMark(), importId],
    });
  }

  /** Of all tenants. */
  due(limit: number): Promise<DueImport[]> {
    return this.executor.query<DueImport>({
      name: 'imports-due',
      text: `select import_id as "importId", tenant from imports where due <= now() order by due limit $1::int`,
      values: [limit],
    });
  }

  async addPart(importId: string, part: number, sealed: Buffer): Promise<void> {
    await this.executor.query({
      name: 'import-file-add',
      text: 'insert into import_files (tenant, import_id, part, sealed) values ($1, $2, $3::int, $4::bytea)',
      values: [currentMark(), importId, part, sealed],
    });
  }

  async part(importId: string, part: number): Promise<Buffer | undefined> {
    const [found] = await this.executor.query<{ sealed: Buffer }>({
      name: 'import-file-part',
      text: 'select sealed from import_files where tenant = $1 and import_id = $2 and part = $3::int',
      values: [currentMark(), importId, part],
    });
    return found?.sealed;
  }

  async removeFile(importId: string): Promise<void> {
    await this.executor.query({
      name: 'import-file-remove',
      text: 'delete from import_files where tenant = $1 and import_id = $2',
      values: [currentMark(), importId],
    });
  }

  async remove(importId: string): Promise<void> {
    await this.executor.query({
      name: 'import-remove',
      text: 'delete from imports where tenant = $1 and import_id = $2',
      values: [currentMark(), importId],
    });
  }

  /** Of a tenant that has ended. */
  async removeAll(): Promise<void> {
    await this.executor.query({
      name: 'imports-remove-all',
      text: `with gone as (delete from imports where tenant = $1 and tenant <> ''),
          files as (delete from import_files where tenant = $1 and tenant <> '')
        delete from import_rows where tenant = $1 and tenant <> ''`,
      values: [currentMark()],
    });
  }

  /** What no stream tells of any more: an upload that broke off. @param days for which imports are kept, and a little */
  old(days: number): Promise<DueImport[]> {
    return this.executor.query<DueImport>({
      name: 'imports-old',
      text: `select import_id as "importId", tenant from imports where created_at < now() - make_interval(days => $1::int)
        order by created_at limit 1000`,
      values: [days],
    });
  }
}
