import { type CurrentDeadline, noDeadline } from '@app/primitives/time';
import { randomBytes } from 'node:crypto';
import { GroupRead } from '../streams/group-read';
import type { SqlDriver, Statement } from '../database/sql-driver';
import { type ErasedStream, hashOfStream } from './erased-streams';

const length = 32;

/**
 * The erasure keys, in a database of their own. None is kept in memory: a key that was destroyed opens nothing anywhere from
 * then on. Rejects with `StoreUnavailableError` when that database is away.
 */
export class ErasureKeys {
  private readonly making: GroupRead<Buffer>;
  private readonly finding: GroupRead<Buffer>;

  constructor(
    readonly driver: SqlDriver,
    deadline: CurrentDeadline = noDeadline,
  ) {
    this.making = new GroupRead((ids, timeout) => this.keysOf({ ...makeKeys(ids), timeout }), deadline);
    this.finding = new GroupRead((ids, timeout) => this.keysOf({ ...findKeys(ids), timeout }), deadline);
    driver.silence?.onNoticed(() => {
      this.making.dropAll();
      this.finding.dropAll();
    });
  }

  /** The erasure key of a stream, made now unless it has one. */
  async make(streamId: string): Promise<Buffer> {
    const key = await this.making.read(streamId);
    if (!key) throw new Error('The database of erasure keys answered without a row.');
    return key;
  }

  /** `undefined` when it was destroyed, or never made. */
  find(streamId: string): Promise<Buffer | undefined> {
    return this.finding.read(streamId);
  }

  /** Destroys the keys of streams, and remembers the erasures that the store has recorded of them. May be repeated. */
  async destroy(streamIds: readonly string[], erased: readonly ErasedStream[]): Promise<void> {
    if (streamIds.length === 0) return;
    await this.driver.query({
      name: 'erasure-keys-destroy',
      text: `with destroyed as (delete from erasure_keys where stream_id = any($1::text[]))
        insert into erasures as e (stream_hash, erased_at)
        select decode(hash, 'hex'), max(at::timestamptz) from unnest($2::text[], $3::text[]) as r (hash, at)
        group by hash order by hash
        on conflict (stream_hash) do update set erased_at = greatest(e.erased_at, excluded.erased_at)`,
      values: [streamIds, erased.map(({ streamId }) => hashOfStream(streamId)), erased.map(({ erasedAt }) => erasedAt)],
    });
  }

  private async keysOf(statement: Statement): Promise<Map<string, Buffer>> {
    const rows = await this.driver.query<{ streamId: string; key: Buffer }>(statement);
    return new Map(rows.map(({ streamId, key }) => [streamId, key]));
  }
}

/**
 * A key that exists is used again: that of a stream that has data, or one whose stream was not stored. Its time is renewed, so that
 * it is not swept away before it is used.
 */
function makeKeys(streamIds: readonly string[]): Statement {
  return {
    name: 'erasure-keys-make',
    text: `insert into erasure_keys as k (stream_id, erasure_key)
      select stream_id, decode(key, 'hex') from unnest($1::text[], $2::text[]) as r (stream_id, key)
      on conflict (stream_id) do update set made_at = excluded.made_at
      returning stream_id as "streamId", erasure_key as key`,
    // In one order everywhere: two statements over the same rows wait for each other instead of locking each other out.
    values: [[...streamIds].sort(), streamIds.map(() => randomBytes(length).toString('hex'))],
  };
}

function findKeys(streamIds: readonly string[]): Statement {
  return {
    name: 'erasure-keys-find',
    text: `select stream_id as "streamId", erasure_key as key from erasure_keys where stream_id = any($1::text[])`,
    values: [streamIds],
  };
}
