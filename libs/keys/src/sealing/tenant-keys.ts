import { currentTenant, type Tenants } from '@app/primitives/context';
import type { Provers } from '@app/event-store';
import { randomBytes } from 'node:crypto';
import { SealBrokenError } from '../errors';
import { ProvenKeys } from '../proofs/proven-keys';
import type { RootKeys } from '../root/root-keys';
import type { KeyStore, StoredKey } from '../store/key-store';
import { type KeyPlace, openKey, sealKey } from './sealed-key';

/** Injection token of the `TenantKeys`. */
export const TENANT_KEYS = Symbol('TENANT_KEYS');

const TENANT = 'tenant';

/**
 * One key for each tenant, under which its data keys are sealed, besides the root key. The row stays when the key is destroyed, so that no other one is made
 * in its place.
 */
export class TenantKeys {
  private readonly held: { readonly key: Buffer | undefined };

  private constructor(
    private readonly store: KeyStore,
    private readonly rows: ProvenKeys,
    tenants: Tenants,
    open: (mark: string) => Promise<Buffer | undefined>,
  ) {
    this.held = tenants.opened<{ key: Buffer | undefined }>({ key: undefined }, async ({ mark }) => ({
      key: await open(mark),
    }));
    tenants.endWith(() => this.destroy());
  }

  static with(store: KeyStore, roots: RootKeys, proofs: Provers, tenants: Tenants): TenantKeys {
    const rows = new ProvenKeys(store, roots, proofs);
    const open = async (mark: string): Promise<Buffer | undefined> => {
      const place = placeOf(mark);
      if (!(await store.find(place.id))) {
        const sealed = sealKey(roots.sealing, place, randomBytes(32));
        await rows.insert({ ...place, algorithm: null, publicJwk: null, sealed });
      }
      const row = await store.find(place.id);
      return row && openTenantKey(roots, row);
    };
    return new TenantKeys(store, rows, tenants, open);
  }

  /** That of the tenant at hand; `undefined` when it was destroyed. */
  readonly keyOf = (mark: string): Buffer | undefined => {
    if (currentTenant()?.mark !== mark) throw new Error('A stream of another tenant than the one at hand.');
    return this.held.key;
  };

  /** Nothing that was sealed in the name of the tenant at hand opens any more, wherever it was copied. */
  private async destroy(): Promise<void> {
    const row = await this.store.find(placeOf(currentTenant()?.mark ?? '').id);
    if (row && row.sealed !== '') await this.rows.destroy(row);
  }
}

/** The tenant keys of a store by mark, of its rows; `undefined` for one that was destroyed or never made. */
export function tenantKeysOf(roots: RootKeys, rows: readonly StoredKey[]): (mark: string) => Buffer | undefined {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const opened = new Map<string, Buffer | undefined>();
  return (mark) => {
    if (!opened.has(mark)) {
      const row = byId.get(placeOf(mark).id);
      opened.set(mark, row && openTenantKey(roots, row));
    }
    return opened.get(mark);
  };
}

function openTenantKey(roots: RootKeys, { id, purpose, sealed }: StoredKey): Buffer | undefined {
  if (sealed === '') return undefined;
  if (!purpose.startsWith(`${TENANT}~`)) throw new SealBrokenError(`The key ${id}`);
  return openKey(roots, { id, purpose: purpose as KeyPlace['purpose'] }, sealed);
}

function placeOf(mark: string): KeyPlace {
  return { id: `${TENANT}~${mark}:1`, purpose: `${TENANT}~${mark}` };
}
