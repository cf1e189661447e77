import type { Tenants } from '@app/primitives/context';
import type { CurrentDeadline } from '@app/primitives/time';
import { GroupCommit } from './append/group-commit';
import { DatabaseClock } from './database/database-clock';
import type { SqlDriver } from './database/sql-driver';
import { ErasureWatch } from './erasure/erasure-watch';
import type { Aggregates } from './passes/stream-pages';
import type { Proofs } from './proofs/proofs';
import { RefoldStates } from './rebuild/refold-states';
import type { StreamCache } from './streams/stream-cache';
import { StreamReader } from './streams/stream-reader';
import { EventLog } from './subscriptions/event-log';
import { Subscriptions } from './subscriptions/subscription';

/** What all stores of an application have in common. */
interface Common {
  readonly aggregates: Aggregates;
  readonly proofs: Proofs | undefined;
  readonly kept: StreamCache;
  readonly deadline: CurrentDeadline;
  readonly tenants: Tenants;
  /** Whether a tenant may be in another store than its events are read from. */
  readonly mayHaveOthers: boolean;
}

/** What reads and writes one store. */
export interface StoreParts {
  readonly driver: SqlDriver;
  readonly clock: DatabaseClock;
  readonly reader: StreamReader;
  readonly commits: GroupCommit;
  readonly log: EventLog;
  readonly subscriptions: Subscriptions;
  readonly folding: RefoldStates;
  readonly erasures: ErasureWatch;
}

export function storeParts(driver: SqlDriver, common: Common): StoreParts {
  const { aggregates, proofs, kept, deadline, tenants, mayHaveOthers } = common;
  const clock = new DatabaseClock();
  const log = new EventLog(driver, aggregates);
  return {
    driver,
    clock,
    reader: new StreamReader(driver, deadline),
    commits: new GroupCommit(driver, deadline, clock, proofs, mayHaveOthers),
    log,
    subscriptions: new Subscriptions(driver, log, tenants),
    folding: new RefoldStates(driver, aggregates),
    erasures: new ErasureWatch(driver, kept),
  };
}
