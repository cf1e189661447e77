import type { DomainEvent, StoredEvent } from '@app/event-store';
import type { WalletRefusal } from '@app/openid4vc';

/** What one event means to the people who run a portal; nothing of a person and no code is in it. */
export interface TimelineStep {
  readonly step: string;
  readonly outcome: string;
  readonly detail: unknown;
  /** When it happened, where that is earlier than it was recorded. */
  readonly at?: string;
  /** Of a wallet that was refused. */
  readonly refusal?: Omit<WalletRefusal, 'description'>;
}

export interface TimelineEntry extends TimelineStep {
  /** RFC 3339, by the database's clock. */
  readonly at: string;
}

/** A wallet that was refused, in the words it got. */
export function refusedStep(
  refused: WalletRefusal,
): TimelineStep & { readonly step: 'wallet refused'; readonly detail: string } {
  const { description, ...refusal } = refused;
  return { step: 'wallet refused', outcome: 'refused', detail: description, refusal, at: refused.firstAt };
}

type WalletRefused = { readonly type: 'WalletRefused' } & WalletRefusal;

/** The refusals of wallets in a history that concern a configuration; those without a configuration concern them all. */
export function refusalsIn(history: readonly StoredEvent[], configurationId: string): TimelineEntry[] {
  const refused = history.flatMap(({ event, ...stored }) =>
    isRefused(event) && (event.configurationId ?? configurationId) === configurationId ? [{ ...stored, event }] : [],
  );
  return timelineOf(refused, ({ type: _type, ...refusal }) => refusedStep(refusal));
}

function isRefused(event: DomainEvent): event is WalletRefused {
  return event.type === 'WalletRefused';
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

/** The entries of two timelines as one; of the same time, those of the first come first. */
export function inOrderOfTime(some: readonly TimelineEntry[], others: readonly TimelineEntry[]): TimelineEntry[] {
  return [...some, ...others].sort((one, other) => (one.at === other.at ? 0 : one.at < other.at ? -1 : 1));
}
