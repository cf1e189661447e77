import type { Aggregate, DomainEvent } from './aggregate';
import type { SqlDriver } from './sql-driver';
import { eventColumns, upcastEvent, type EventRecord } from './stored-event';

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

/** A state as it is stored. */
export interface MadeState {
  readonly streamId: string;
  readonly version: number;
  readonly state: unknown;
  readonly foldVersion: number;
}

/** The state as the aggregate folds today: the stored one, or one made from the events when an earlier fold made that. */
export async function presentState<S, E extends DomainEvent>(
  driver: SqlDriver,
  aggregate: Aggregate<S, E>,
  { streamId, version, state, foldVersion }: MadeState,
): Promise<S | undefined> {
  // What an aggregate stores is what it reads.
  if (version === 0 || foldVersion >= foldVersionOf(aggregate)) return state as S | undefined;
  const rows = await driver.query<EventRecord>({
    name: 'events-up-to',
    text: `select ${eventColumns} from events where stream_id = $1 and version <= $2 order by version`,
    values: [streamId, version],
  });
  return rows.reduce<S | undefined>((folded, row) => aggregate.evolve(folded, upcastEvent(row, aggregate)), undefined);
}
