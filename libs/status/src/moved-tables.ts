import { lastPosition, type MovedTable } from '@app/event-store';
import { statusListAggregate } from './status-list';

const ofLists = (mark: string): string =>
  `list_id in (select substr(stream_id, strpos(stream_id, '-') + 1) from streams where category = '${statusListAggregate.category}~${mark}')`;

/** What status lists have of a tenant. Positions are others in each store, so that the proofs of versions are made anew, from the events. */
export const movedStatusTables: readonly MovedTable[] = [
  {
    table: 'status_list_versions',
    columns: ['list_id', 'version', 'digest'],
    key: ['list_id'],
    of: ofLists,
    anew: { upto: lastPosition },
  },
  {
    table: 'status_changes',
    columns: ['list_id', 'entry', 'stream_version', 'status', 'changed_at', 'list_version'],
    key: ['list_id', 'entry', 'stream_version'],
    of: ofLists,
    isHistory: true,
  },
];
