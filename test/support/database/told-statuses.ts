import { type Aggregate, EventStore, type Provers, type SqlDriver } from '@app/event-store';
import { StatusChanges } from '@app/status/src/status-changes';
import { randomUUID } from 'node:crypto';

interface Told {
  readonly type: 'Told';
  readonly statusChange: { readonly listId: string; readonly indices: readonly number[]; readonly to: string };
}

const teller: Aggregate<number, Told> = { category: 'teller', evolve: (count = 0) => count + 1 };

/** Stores events that change entries of a list, and brings them into the lists as the service does. */
export function statusTeller(driver: SqlDriver, provers: Provers) {
  const tellers = new EventStore(driver, undefined, provers).repository(teller);
  const changes = new StatusChanges(driver, provers);
  const id = randomUUID();
  return {
    changes,
    /** One event for each of the statuses. @returns the positions of the events */
    async tell(listId: string, indices: readonly number[], ...statuses: string[]): Promise<string[]> {
      const { version } = await tellers.load(id);
      const events = statuses.map((to): Told => ({ type: 'Told', statusChange: { listId, indices, to } }));
      await tellers.save(id, version, events);
      return (await tellers.events(id)).slice(version).map(({ position }) => position);
    },
  };
}
