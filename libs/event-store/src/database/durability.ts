import type { SqlExecutor } from './sql-driver';

/** A setting of the server that decides whether an acknowledged write survives a power cut. */
export interface DurabilitySetting {
  readonly name: 'fsync' | 'synchronous_commit' | 'full_page_writes';
  readonly setting: string;
}

/** The effective settings for connections of this role; each but `off` keeps what was acknowledged. */
export function readDurability(executor: SqlExecutor): Promise<DurabilitySetting[]> {
  return executor.query<DurabilitySetting>({
    name: 'durability',
    text: `select name, current_setting(name) as setting
      from unnest(array['fsync', 'synchronous_commit', 'full_page_writes']) as name`,
    values: [],
  });
}
