import { EventStore, type StoredEvent } from '@app/event-store';
import { Metrics } from '@app/metrics';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { StatusChange } from './listed-status';
import { type EntryChange, StatusChanges } from './status-changes';
import { StatusLists } from './status-lists';

/** Brings what events say of entries into the lists: in one process at a time, each event at least once. */
@Injectable()
export class StatusProjection implements OnApplicationBootstrap {
  constructor(
    private readonly store: EventStore,
    private readonly changes: StatusChanges,
    private readonly lists: StatusLists,
    private readonly metrics: Metrics,
  ) {}

  onApplicationBootstrap(): void {
    this.metrics.readStatusLists(() => this.lists.facts());
    this.store.subscribe('status-lists', {
      member: 'statusChange',
      batch: (events) => this.changes.add(events.flatMap(entryChanges)),
    });
  }
}

function entryChanges({ event, version, recordedAt }: StoredEvent): EntryChange[] {
  const { statusChange } = event as { readonly statusChange?: StatusChange };
  if (!statusChange) return [];
  const { listId, indices, to } = statusChange;
  return indices.map((entry) => ({ listId, entry, streamVersion: version, to, changedAt: recordedAt }));
}
