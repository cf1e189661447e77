import type { Finding, SqlExecutor } from '@app/event-store';
import { KeyStore } from '../store/key-store';
import { rootGenerationOf } from '../root/root-envelope';
import type { RootKeys } from '../root/root-keys';
import { tenantKeysOf } from './tenant-key';
import { type FindTenantKey, unwrapDataKey, unwrapUnderRoot, wrapUnderRoot } from './wrapped-key';

const PAGE = 500;

export interface DataKeyRow {
  readonly streamId: string;
  readonly sealed: Buffer;
}

/**
 * Checks that every data key opens, and for its own stream, also while another process changes the root key. @param onPage gets the number checked so far
 */
export async function* checkDataKeys(
  driver: SqlExecutor,
  roots: RootKeys,
  onPage: (checked: number) => void,
): AsyncGenerator<Finding, void> {
  let checked = 0;
  for await (const rows of dataKeyPages(driver)) {
    // A change of the root key leaves half a minute in which a process that has the former one learns the new one.
    const keys = await new KeyStore(driver).all();
    roots.take(keys);
    const tenantKey = tenantKeysOf(roots, keys);
    const closed = rows.filter((row) => !opens(roots, tenantKey, row)).map(({ streamId }) => streamId);
    for (const row of await again(driver, closed)) {
      if (!opens(roots, tenantKey, row))
        yield { subject: `data key of ${row.streamId}`, fault: 'cannot be opened for its stream' };
    }
    checked += rows.length;
    onPage(checked);
  }
}

/** Rows that may have been resealed or removed since they were read. */
async function again(driver: SqlExecutor, streamIds: readonly string[]): Promise<DataKeyRow[]> {
  if (streamIds.length === 0) return [];
  return driver.query<DataKeyRow>({
    name: 'data-keys-again',
    text: `select stream_id as "streamId", sealed_key as sealed from data_keys
           where stream_id = any($1::text[]) order by stream_id`,
    values: [streamIds],
  });
}

/**
 * Rewraps every data key that is not under the current root key, while others write: a row that changes or is deleted
 * meanwhile is left alone. Can be interrupted and restarted.
 * @returns the streams whose data key does not open
 */
export async function wrapDataKeysAnew(
  driver: SqlExecutor,
  roots: RootKeys,
  onPage: (checked: number) => void,
): Promise<string[]> {
  const closed: string[] = [];
  let checked = 0;
  for await (const rows of dataKeyPages(driver)) {
    const earlier = rows.filter(({ sealed }) => rootGenerationOf(sealed) !== roots.current.generation);
    const changes = earlier.map((row) => ({ ...row, content: opened(roots, row) }));
    closed.push(...changes.filter(({ content }) => !content).map(({ streamId }) => streamId));
    await exchange(
      driver,
      changes.flatMap(({ streamId, sealed, content }) =>
        content ? [{ streamId, was: sealed, becomes: wrapUnderRoot(roots, content, streamId) }] : [],
      ),
    );
    checked += rows.length;
    onPage(checked);
  }
  return closed;
}

export async function* dataKeyPages(driver: SqlExecutor): AsyncGenerator<DataKeyRow[], void> {
  let after = '';
  for (;;) {
    const rows = await driver.query<DataKeyRow>({
      name: 'data-keys-page',
      text: `select stream_id as "streamId", sealed_key as sealed from data_keys
             where stream_id > $1 order by stream_id limit ${PAGE}`,
      values: [after],
    });
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = last.streamId;
  }
}

/** Replaces rows that are still as they were. @returns how many were */
export async function exchange(
  driver: SqlExecutor,
  changes: readonly { readonly streamId: string; readonly was: Buffer; readonly becomes: Buffer }[],
): Promise<number> {
  if (changes.length === 0) return 0;
  const rows = await driver.query({
    name: 'data-keys-exchange',
    text: `update data_keys set sealed_key = decode(becomes, 'hex')
           from unnest($1::text[], $2::text[], $3::text[]) as r (id, was, becomes)
           where stream_id = any($1::text[]) and stream_id = id and sealed_key = decode(was, 'hex')
           returning 1 as one`,
    values: [
      changes.map(({ streamId }) => streamId),
      changes.map(({ was }) => was.toString('hex')),
      changes.map(({ becomes }) => becomes.toString('hex')),
    ],
  });
  return rows.length;
}

function opened(roots: RootKeys, { sealed, streamId }: DataKeyRow): Buffer | undefined {
  try {
    return unwrapUnderRoot(roots, sealed, streamId);
  } catch {
    return undefined;
  }
}

/** That of a tenant whose key was destroyed is to open no more. */
function opens(roots: RootKeys, tenantKey: FindTenantKey, { sealed, streamId }: DataKeyRow): boolean {
  try {
    unwrapDataKey(roots, tenantKey, sealed, streamId);
    return true;
  } catch {
    return false;
  }
}
