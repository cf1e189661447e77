import { Client } from 'pg';
import { cpuOfPostgres, type CpuMeter, postmasterOf } from './cpu';

export interface PostgresFacts {
  readonly version: string;
  /** What decides whether a commit survives a loss of power, as the server reports it. */
  readonly durability: Readonly<Record<string, string>>;
  readonly cpu: CpuMeter;
  /** Its first process, when it is on this machine. */
  readonly postmaster: number | undefined;
}

const settings = ['fsync', 'synchronous_commit', 'full_page_writes', 'wal_sync_method'];

/** Throws when the server would acknowledge commits that a loss of power undoes. */
export async function readPostgresFacts(database: string): Promise<PostgresFacts> {
  const client = new Client({ connectionString: database });
  await client.connect();
  const show = async (name: string): Promise<string> => {
    const { rows } = await client.query<{ value: string }>('select current_setting($1) as value', [name]);
    return rows[0]?.value ?? '';
  };
  const durability: Record<string, string> = {};
  for (const name of settings) durability[name] = await show(name);
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const postmaster = postmasterOf(rows[0]?.pid ?? 0);
  const version = await show('server_version');
  await client.end();
  const off = ['fsync', 'synchronous_commit', 'full_page_writes'].filter((name) => durability[name] !== 'on');
  if (off.length > 0) throw new Error(`Figures would mean nothing: the server has ${off.join(', ')} not on.`);
  return { version, durability, cpu: cpuOfPostgres(postmaster), postmaster };
}
