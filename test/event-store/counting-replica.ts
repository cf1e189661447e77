import { EventStore, openDriver, type SqlDriver } from '@app/event-store';
import { startDatabase, type TestDatabase } from '../support/database/databases';
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

type Pair = [one: CountingReplica, other: CountingReplica];

/** The database of a test file, and two connections to it. */
export function twoConnections() {
  let database: TestDatabase;
  const drivers: SqlDriver[] = [];
  beforeAll(async () => {
    database = await startDatabase('postgres');
    drivers.push(await openDriver(database.options), await openDriver(database.options));
  });
  afterAll(async () => {
    for (const driver of drivers) await driver.close();
    await database.stop();
  });
  return {
    drivers,
    /** A store and a connection besides them. */
    another: () => database.open(),
    /** A replica on each, which knows the time and nothing else. */
    replicas: async (): Promise<Pair> => {
      const replicas = drivers.map(startReplica) as Pair;
      // What is presumed to be the time has to be known.
      for (const { store } of replicas) await store.ping();
      return replicas;
    },
  };
}
