import { currentMark, currentTenant, keptBytes, type Tenants } from '@app/primitives/context';
import type { Provers } from '@app/event-store';
import { randomBytes } from 'node:crypto';
import { ProvenKeys } from './proofs/proven-keys';
import { SealBrokenError } from './errors';
import type { RootKeys } from './root/root-keys';
import { sealKey } from './sealing/sealed-key';
import { openTenantKey, placeOfTenantKey } from './sealing/tenant-key';
import type { KeyStore } from './store/key-store';

interface Held {
  /** `undefined` when it was destroyed. Throws `SealBrokenError` when its row was altered. */
  readonly key: () => Buffer | undefined;
}

/** Injection token of the `TenantKeys`. */
export const TENANT_KEYS = Symbol('TENANT_KEYS');

/**
 * One key for each tenant, under which its data keys are sealed, besides the root key. The row stays when the key is destroyed, so that no other one is made
 * in its place.
 */
export class TenantKeys {
  private readonly held: Held;

  private constructor(
    private readonly store: KeyStore,
    private readonly rows: ProvenKeys,
    tenants: Tenants,
    open: (mark: string) => Promise<Held>,
  ) {
    this.held = tenants.opened<Held>({ key: () => undefined }, ({ mark }) => open(mark));
    tenants.endWith(() => this.destroy());
  }

  static with(store: KeyStore, roots: RootKeys, proofs: Provers, tenants: Tenants): TenantKeys {
    const rows = new ProvenKeys(store, roots, proofs);
    const open = async (mark: string): Promise<Held> => {
      const place = placeOfTenantKey(mark);
      let row = await store.find(place.id);
      if (!row) {
        const sealed = sealKey(roots.sealing, place, randomBytes(32));
        await rows.insert({ ...place, algorithm: null, publicJwk: null, sealed });
        row = await store.find(place.id);
      }
      try {
        const opened = row && openTenantKey(roots, row);
        const key = opened && keptBytes(opened);
        return { key: () => key };
      } catch (error) {
        if (!(error instanceof SealBrokenError)) throw error;
        roots.altered.note(place.id, true);
        // Nothing is held up by it but what is sealed under it: events of all tenants are handed out in turn.
        return {
          key: () => {
            throw error;
          },
        };
      }
    };
    return new TenantKeys(store, rows, tenants, open);
  }

  /** That of the tenant at hand; `undefined` when it was destroyed. */
  readonly keyOf = (mark: string): Buffer | undefined => {
    if (currentTenant()?.mark !== mark) throw new Error('A stream of another tenant than the one at hand.');
    return this.held.key();
  };

  /** Nothing that was sealed in the name of the tenant at hand opens any more, wherever it was copied. */
  private async destroy(): Promise<void> {
    const row = await this.store.find(placeOfTenantKey(currentMark()).id);
    if (row && row.sealed !== '') await this.rows.destroy(row);
  }
}
