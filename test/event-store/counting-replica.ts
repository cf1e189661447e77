import { EventStore, type SqlDriver } from '@app/event-store';
import { repositories } from './accounts';
import { provers } from './provers';

export type CountingReplica = ReturnType<typeof startReplica>;

/** A store that knows nothing yet, with how many streams it has read. */
export function startReplica(driver: SqlDriver) {
  let reads = 0;
  const counting: SqlDriver = {
    kind: 'postgres',
    query: (statement) => {
      if (statement.name.startsWith('load')) reads++;
      return driver.query(statement);
    },
    transaction: (work) => driver.transaction(work),
    session: () => driver.session(),
    close: () => driver.close(),
  };
  const store = new EventStore(counting, undefined, provers);
  const readsSince = (): number => {
    const sum = reads;
    reads = 0;
    return sum;
  };
  return { store, ...repositories(store), reads: readsSince };
}
