import type { DomainEvent, StoredEvent } from '@app/event-store';

/** What one event means to the people who run a portal; nothing of a person and no code is in it. */
export interface TimelineStep {
  readonly step: string;
  readonly outcome: string;
  readonly detail: unknown;
  /** When it happened, where that is earlier than it was recorded. */
  readonly at?: string;
}

interface TimelineEntry extends TimelineStep {
  /** RFC 3339, by the database's clock. */
  readonly at: string;
}

/** What happened, oldest first. @param describe what to say of an event */
export function timelineOf<E extends DomainEvent>(
  history: readonly StoredEvent<E>[],
  describe: (event: E) => TimelineStep,
): TimelineEntry[] {
  const entries: TimelineEntry[] = [];
  for (const { event, recordedAt } of history) {
    const step = describe(event);
    const entry = { at: recordedAt.toISOString(), ...step };
    const place = step.at === undefined ? -1 : entries.findIndex(({ at }) => at > entry.at);
    entries.splice(place === -1 ? entries.length : place, 0, entry);
  }
  return entries;
}
