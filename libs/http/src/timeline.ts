import type { DomainEvent, StoredEvent } from '@app/event-store';

/** What one event means to the people who run a portal; nothing of a person and no code is in it. */
export interface TimelineStep {
  readonly step: string;
  readonly outcome: string;
  readonly detail: unknown;
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
  return history.map(({ event, recordedAt }) => ({ at: recordedAt.toISOString(), ...describe(event) }));
}
