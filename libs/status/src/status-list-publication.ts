import type { Publication } from '@app/event-store';
import { statusListAggregate, type StatusListEvent } from './status-list';

/** Lists are published as such; what changes in them is published of the credentials. */
export const statusListPublication: Publication<StatusListEvent> = {
  category: statusListAggregate.category,
  resources: 'status_lists',
  types: { StatusListOpened: null, StatusEntriesReserved: null },
  data: () => ({}),
};
