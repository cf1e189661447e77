import type { Awaitable } from '@app/primitives/awaitable';
import type { Aggregate, DomainEvent } from './aggregate';
import type { SqlDriver } from '../database/sql-driver';
import { eventColumns, folded, type EventRecord } from './stored-event';

/**
 * SQL: the version of the fold that made a state. A release that knows nothing of folds leaves `fold_upto` as it was when it
 * changes a state, so what it changes shows as made by the first.
 * @param s what `streams` is called
 */
export const madeBy = (s: string): string =>
  `case when ${s}.fold_upto = ${s}.version then ${s}.fold_version else 1 end`;

export function foldVersionOf({ foldVersion = 1 }: Pick<Aggregate<unknown, DomainEvent>, 'foldVersion'>): number {
  return foldVersion;
}

/** A stored state. */
export interface MadeState {
  readonly streamId: string;
  readonly version: number;
  readonly state: unknown;
  readonly foldVersion: number;
}

/**
 * States as the aggregate folds today, in the order of those given: the stored ones, or, where another fold made them, new
 * ones from their events, which one statement reads for all of them. Throws `NewerVersionError` for events of a newer release.
 */
export function presentStates<S, E extends DomainEvent>(
  driver: SqlDriver,
  aggregate: Aggregate<S, E>,
  states: readonly MadeState[],
): Awaitable<(S | undefined)[]> {
  const wanted = foldVersionOf(aggregate);
  const others = states.filter(({ version, foldVersion }) => version > 0 && foldVersion !== wanted);
  // What an aggregate stores is what it reads.
  if (others.length === 0) return states.map(({ state }) => state as S | undefined);
  const asked = driver.query<EventRecord>({
    name: 'events-of-streams',
    text: `select ${eventColumns} from events where stream_id = any($1::text[]) order by stream_id, version`,
    values: [others.map(({ streamId }) => streamId)],
  });
  return asked.then((rows) => {
    const fold = ({ streamId, version }: MadeState): S | undefined =>
      rows
        .filter((row) => row.stream_id === streamId && row.version <= version)
        .reduce<S | undefined>((before, row) => folded(before, row, aggregate), undefined);
    return states.map((made) => (others.includes(made) ? fold(made) : (made.state as S | undefined)));
  });
}
