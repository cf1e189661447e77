import { instant, isWrittenByService, type Provers, type SingleEvent, type SqlExecutor } from '@app/event-store';
import type { EntryChange } from './change-chain';
import { type StatusChange, statusValues } from './listed-status';

/** What an event says of an entry. */
export interface ToldChange extends EntryChange {
  /** Of the event. */
  readonly position: number;
  /** Whether the subscription has handled the event. */
  readonly isDue: boolean;
}

/** What the events say of the entries of one list. */
export interface Told {
  readonly changes: readonly ToldChange[];
  /** Events, by stream and version, that are not as this service has written them, and of which nothing is in the changes. */
  readonly altered: readonly string[];
  /** The highest position of an event, whether it is as it was written or not; 0 when there is none. */
  readonly upto: number;
}

type Row = Omit<SingleEvent, 'data'> & {
  readonly position: string;
  readonly is_due: boolean;
  readonly data: { readonly statusChange: StatusChange };
};

const pageSize = 1_000;

/** The name of the subscription that brings the changes into the lists. */
export const subscription = 'status-lists';

/** SQL of the condition that finds the events of list $1 by their index. */
export const ofList = `data ? 'statusChange' and data->'statusChange'->>'listId' = $1`;

/**
 * Reads them.
 * @param provers without them every event is taken for what it says
 * @param positions of the events; all when absent
 */
export async function toldChanges(
  executor: SqlExecutor,
  provers: Provers | undefined,
  listId: string,
  positions?: readonly string[],
): Promise<Told> {
  const changes: ToldChange[] = [];
  const altered: string[] = [];
  let upto = 0;
  for (;;) {
    const rows = await executor.query<Row>({
      name: positions ? 'status-changes-told-at' : 'status-changes-told',
      // Each event with the one before it in its stream, of which its proof covers the proof.
      text: `select position::text, stream_id, version, type, data, metadata, ${instant('recorded_at')} as instant, proof,
          (select p.proof from events p where p.stream_id = e.stream_id and p.version < e.version and p.proof is not null
            order by p.version desc limit 1) as before,
          (e.tx, e.position) <= (select s.tx, s.position from subscriptions s where s.name = $3) is true as is_due
        from events e where ${ofList} and position > $2::text::bigint${positions ? ' and position = any($4::text[]::bigint[])' : ''}
        order by e.position limit ${pageSize}`,
      values: [listId, String(upto), subscription, ...(positions ? [positions] : [])],
    });
    for (const row of rows) {
      upto = Number(row.position);
      if (provers && !isWrittenByService(provers, row)) {
        altered.push(`${row.stream_id} version ${row.version}`);
        continue;
      }
      const { indices, to } = row.data.statusChange;
      const shared = {
        streamVersion: row.version,
        status: statusValues[to],
        changedAt: Date.parse(row.instant),
        position: upto,
        isDue: row.is_due,
      };
      changes.push(...indices.map((entry) => ({ entry, ...shared })));
    }
    if (rows.length < pageSize) return { changes, altered, upto };
  }
}
