import { EventStore, type StoredEvent } from '@app/event-store';
import { Metrics } from '@app/observability';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { StatusChange } from './listed-status';
import { StatusChanges } from './status-changes';
import { StatusLists } from './status-lists';
import { subscription } from './told-changes';

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
    this.store.subscribe(subscription, { member: 'statusChange', batch: (events) => this.add(events) });
  }

  private async add(events: readonly StoredEvent[]): Promise<void> {
    const positions = new Map<string, string[]>();
    for (const { event, position } of events) {
      const { statusChange } = event as { readonly statusChange?: StatusChange };
      if (!statusChange) continue;
      const { listId } = statusChange;
      positions.set(listId, [...(positions.get(listId) ?? []), position]);
    }
    for (const [listId, ofList] of positions) await this.changes.add(listId, ofList);
  }
}
