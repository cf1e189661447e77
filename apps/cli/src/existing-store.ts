import type { Settings } from '@app/config';
import { EventStore, type Provers, type SqlDriver, Stores } from '@app/event-store';
import { Tenants } from '@app/primitives/context';
import { type CheckingKeys, KeyStoreLockedError, NoKeysError, openCheckingKeys, SealBrokenError } from '@app/keys';
import { registerAggregates } from './aggregates';
import type { StoreCommand } from './store-threads';

/** Opens the keys that prove what a store holds; without them it answers the reason. */
export async function openKeysToCheck(
  driver: SqlDriver,
  { secretManager }: Pick<Settings, 'secretManager'>,
): Promise<CheckingKeys | { readonly reason: string }> {
  try {
    return await openCheckingKeys(driver, secretManager.strongholdPassword);
  } catch (error) {
    const isExpected = [KeyStoreLockedError, NoKeysError, SealBrokenError].some((kind) => error instanceof kind);
    if (isExpected && error instanceof Error) return { reason: error.message };
    throw error;
  }
}

/** What `openKeysToCheck` gave for proofs. A `rebuild` before the first start of the service proves nothing. */
export function proofsIn(
  keys: CheckingKeys | { readonly reason: string },
  command: StoreCommand,
): CheckingKeys['proofs'] | undefined {
  if ('reason' in keys) return undefined;
  return command === 'rebuild' && !keys.proofs.exist ? undefined : keys.proofs;
}

/** The store with all kinds of streams. @param stores where work for a tenant may be about a further one */
export function existingStore(
  driver: SqlDriver,
  provers: Provers | undefined,
  stores = new Stores(driver),
): EventStore {
  const store = new EventStore(driver, undefined, provers, false, new Tenants(), stores);
  registerAggregates(store);
  return store;
}
