import type { Settings } from '@app/config';
import {
  assertComplete,
  assertOwn,
  erasureKeyRights,
  ErasureKeysError,
  erasureKeyVersions,
  notedDatabase,
  missingRights,
  type SqlDriver,
} from '@app/event-store';
import { withErasureKeys } from '../erasure-key-database';
import { sentenceOf } from '../failure';
import { fail, type Finding, ok } from './finding';

const check = 'erasure keys';

/** Whether the service can use the erasure keys of its store, if it has any. @param store with the tables of this release */
export async function checkErasureKeys(settings: Settings, store: SqlDriver): Promise<Finding> {
  try {
    return await withErasureKeys(settings, (keys) => (keys ? examine(store, keys) : withoutKeys(store)));
  } catch (error) {
    const remedy =
      error instanceof ErasureKeysError
        ? 'The service does not start before.'
        : 'Correct SERVICE__ERASURE_KEYS__CONNECTION_STRING, or make the server reachable from this machine.';
    return fail(check, sentenceOf(error), remedy);
  }
}

async function withoutKeys(store: SqlDriver): Promise<Finding> {
  if ((await notedDatabase(store)) === undefined) return ok(check, 'not used');
  const remedy = 'Set SERVICE__ERASURE_KEYS__CONNECTION_STRING: the service does not start without.';
  return fail(check, 'the data keys of this store are under erasure keys in another database', remedy);
}

async function examine(store: SqlDriver, keys: SqlDriver): Promise<Finding> {
  const { applied, shipped } = await erasureKeyVersions(keys);
  if (applied < shipped) {
    const remedy = 'Run "sealwright migrate", or start the service as the owner of the tables.';
    return fail(check, `tables of version ${applied}; this release requires ${shipped}`, remedy);
  }
  const missing = await missingRights(keys, undefined, erasureKeyRights);
  if (missing.length > 0) {
    const remedy = 'Run "sealwright grants" as the owner of the tables.';
    return fail(check, `the role lacks ${missing.join(', ')}`, remedy);
  }
  await assertOwn(store, keys);
  await assertComplete(store, keys);
  return ok(check, 'in a database of their own');
}
