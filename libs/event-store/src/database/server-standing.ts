import type { SessionAttributes } from '@app/config';
import type { ClientBase } from 'pg';
import { StoreUnavailableError } from '../errors';

/** What a server says of itself. */
export interface Standing {
  /** It follows another one. */
  readonly standby: boolean;
  readonly readOnly: boolean;
  /** Equal for a primary and its standbys, and for no others. */
  readonly cluster: string;
  /** Grows with each promotion; null for a standby. */
  readonly timeline: number | null;
}

// The first eight digits of the name of a WAL file are its timeline; a standby writes no file itself.
const question = `
  select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as "readOnly",
    (select system_identifier::text from pg_control_system()) as cluster,
    case when not pg_is_in_recovery()
      then ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer end as timeline`;
/** Milliseconds for the answer. */
const patience = 1_000;

export async function standingOf(client: ClientBase): Promise<Standing> {
  // pg reads the timeout of a single query, which its types do not know.
  const query = { text: question, query_timeout: patience };
  const [standing] = (await client.query<Standing>(query)).rows;
  if (!standing) throw new StoreUnavailableError('The database server does not report what it is.', false);
  return standing;
}

/**
 * Decides which servers may be used. A primary from which a standby was promoted away still accepts writes unless someone
 * stops it; what it takes is lost. It is known by its timeline, once a server with a later one was seen.
 */
export class Standings {
  private readonly latest = new Map<string, number>();

  constructor(private readonly wanted: Exclude<SessionAttributes, 'any'>) {}

  /** Why the server may not be used; undefined when it may. */
  objection({ standby, readOnly, cluster, timeline }: Standing): string | undefined {
    if (standby) return 'a standby';
    if (this.wanted === 'read-write' && readOnly) return 'accepts no writes';
    if ((timeline ?? 0) < (this.latest.get(cluster) ?? 0)) return 'another server was promoted in its place';
    return undefined;
  }

  /** Remembers the timeline of a server that takes writes. */
  saw({ cluster, timeline }: Standing): void {
    this.latest.set(cluster, Math.max(timeline ?? 0, this.latest.get(cluster) ?? 0));
  }
}
