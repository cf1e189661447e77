import { SealBrokenError } from '../errors';
import type { RootKeys } from '../root/root-keys';
import type { StoredKey } from '../store/key-store';
import { type KeyPlace, openKey } from './sealed-key';

const TENANT = 'tenant';

/** The tenant keys of a store by mark, of its rows; `undefined` for one that was destroyed or never made. */
export function tenantKeysOf(roots: RootKeys, rows: readonly StoredKey[]): (mark: string) => Buffer | undefined {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const opened = new Map<string, Buffer | undefined>();
  return (mark) => {
    if (!opened.has(mark)) {
      const row = byId.get(placeOfTenantKey(mark).id);
      opened.set(mark, row && openTenantKey(roots, row));
    }
    return opened.get(mark);
  };
}

export function openTenantKey(roots: RootKeys, { id, purpose, sealed }: StoredKey): Buffer | undefined {
  if (sealed === '') return undefined;
  if (!purpose.startsWith(`${TENANT}~`)) throw new SealBrokenError(`The key ${id}`);
  return openKey(roots, { id, purpose: purpose as KeyPlace['purpose'] }, sealed);
}

export function placeOfTenantKey(mark: string): KeyPlace {
  return { id: `${TENANT}~${mark}:1`, purpose: `${TENANT}~${mark}` };
}
