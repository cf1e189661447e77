import { EventStore, openDriver, type SqlDriver } from '@app/event-store';
import { createHmac, randomUUID } from 'node:crypto';
import { EntryAllocator } from '../../libs/status/src/entry-allocator';
import { statusListAggregate } from '../../libs/status/src/status-list';

type Dependencies = ConstructorParameters<typeof EntryAllocator>;

/** As the service has it, with a key of the test. */
const authenticator = {
  newSalt: () => randomUUID(),
  macOfSalt: (purpose: string, salt: string) => createHmac('sha256', 'a key').update(purpose).update(salt).digest(),
} as unknown as Dependencies[3];

/** The allocator of the service in this process, on the given database. @param entries of each list */
export async function openAllocator(
  connectionString: string,
  entries: number,
): Promise<{ readonly allocator: EntryAllocator; readonly store: EventStore; readonly driver: SqlDriver }> {
  const driver = await openDriver({ type: 'postgres', connectionString });
  const store = new EventStore(driver);
  await store.look();
  const settings = { statusLists: { entries } } as Dependencies[4];
  const lists = store.repository(statusListAggregate);
  return { allocator: new EntryAllocator(store, lists, driver, authenticator, settings), store, driver };
}

export const signer = { identifier: 'did', algorithm: 'ES256' } as const;
