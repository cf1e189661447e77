import { currentTenant, type Tenants } from '@app/primitives/context';
import type { Provers } from '@app/event-store';
import { randomBytes } from 'node:crypto';
import { ProvenKeys } from './proofs/proven-keys';
import type { RootKeys } from './root/root-keys';
import { sealKey } from './sealing/sealed-key';
import { openTenantKey, placeOfTenantKey } from './sealing/tenant-key';
import type { KeyStore } from './store/key-store';

/** Injection token of the `TenantKeys`. */
export const TENANT_KEYS = Symbol('TENANT_KEYS');

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
      const place = placeOfTenantKey(mark);
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
    const row = await this.store.find(placeOfTenantKey(currentTenant()?.mark ?? '').id);
    if (row && row.sealed !== '') await this.rows.destroy(row);
  }
}
