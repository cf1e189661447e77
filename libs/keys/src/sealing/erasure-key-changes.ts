import type { SqlExecutor } from '@app/event-store';
import { type DataKeyRow, dataKeyPages, exchange } from './data-keys';
import { KeyStore } from '../store/key-store';
import type { RootKeys } from '../root/root-keys';
import type { ErasureKeySource } from './sealer';
import { isUnderErasureKey, openUnderErasureKey, sealUnderErasureKey } from './under-erasure-key';
import { tenantKeysOf } from './tenant-key';
import { type FindTenantKey, unwrapDataKey, wrapDataKey } from './wrapped-key';

export interface ChangedDataKeys {
  readonly changed: number;
  /** Streams whose data key does not open, with or without its erasure key. */
  readonly closed: readonly string[];
}

/** What is to be under the root key in place of what is now; the same when nothing is to change, `undefined` when it does not open. */
type Change = (content: Buffer, streamId: string) => Promise<Buffer | undefined>;

/**
 * Seals the data keys of before under erasure keys, while others write: a row that changes meanwhile is left alone. Can be interrupted
 * and restarted. @param onPage gets the number looked at so far
 */
export function addErasureKeys(
  driver: SqlExecutor,
  roots: RootKeys,
  source: Pick<ErasureKeySource, 'make'>,
  onPage: (checked: number) => void,
): Promise<ChangedDataKeys> {
  const add: Change = async (content, streamId) =>
    isUnderErasureKey(content) ? content : sealUnderErasureKey(await source.make(streamId), content, streamId);
  return change(driver, roots, add, onPage);
}

/** The opposite of `addErasureKeys`. The erasure keys themselves are left. */
export function removeErasureKeys(
  driver: SqlExecutor,
  roots: RootKeys,
  source: Pick<ErasureKeySource, 'find'>,
  onPage: (checked: number) => void,
): Promise<ChangedDataKeys> {
  const remove: Change = async (content, streamId) => {
    if (!isUnderErasureKey(content)) return content;
    const erasureKey = await source.find(streamId);
    return erasureKey && openUnderErasureKey(erasureKey, content, streamId);
  };
  return change(driver, roots, remove, onPage);
}

async function change(
  driver: SqlExecutor,
  roots: RootKeys,
  changeOf: Change,
  onPage: (checked: number) => void,
): Promise<ChangedDataKeys> {
  const closed: string[] = [];
  let [checked, changed] = [0, 0];
  for await (const rows of dataKeyPages(driver)) {
    // The root key may change meanwhile.
    const keys = await new KeyStore(driver).all();
    roots.take(keys);
    const tenantKey = tenantKeysOf(roots, keys);
    const changes = await Promise.all(rows.map((row) => changeIn(roots, tenantKey, row, changeOf)));
    closed.push(...rows.filter((_, index) => changes[index] === undefined).map(({ streamId }) => streamId));
    changed += await exchange(
      driver,
      changes.flat().filter((each) => each !== undefined),
    );
    checked += rows.length;
    onPage(checked);
  }
  return { changed, closed };
}

/** `undefined` when the data key does not open. */
async function changeIn(roots: RootKeys, tenantKey: FindTenantKey, { streamId, sealed }: DataKeyRow, changeOf: Change) {
  const content = openedOr(() => unwrapDataKey(roots, tenantKey, sealed, streamId) ?? 'destroyed');
  if (content === 'destroyed') return [];
  if (!content) return undefined;
  const next = await changeOf(content, streamId);
  if (!next || next === content) return next && [];
  return [{ streamId, was: sealed, becomes: wrapDataKey(roots, tenantKey, next, streamId) }];
}

function openedOr<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch {
    return undefined;
  }
}
