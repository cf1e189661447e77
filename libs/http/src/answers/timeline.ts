import type { DomainEvent, StoredEvent } from '@app/event-store';
import type { WalletRefusal } from '@app/openid4vc';
import { type EventTable, rowOf } from './event-table';

/** One event, as the people who run a portal read it. */
export interface TimelineEntry {
  /** RFC 3339, by the database's clock. */
  readonly at: string;
  readonly step: string;
  readonly outcome: string;
  readonly detail: unknown;
  /** Of a wallet that was refused. */
  readonly refusal?: Omit<WalletRefusal, 'description'>;
}

type WalletRefused = { readonly type: 'WalletRefused' } & WalletRefusal;

/** A wallet that was refused, in the words it got. */
export const refusedWallet = {
  step: 'wallet refused',
  outcome: 'refused',
  detail: ({ description }: WalletRefusal) => description,
  at: ({ firstAt }: WalletRefusal) => firstAt,
  refusal: ({ type: _type, description: _description, ...refusal }: { readonly type: string } & WalletRefusal) =>
    refusal,
} as const;

const refusals: EventTable<WalletRefused> = { WalletRefused: { ...refusedWallet, counted: null, published: null } };

/** The refusals of wallets in a history that concern a configuration; those without a configuration concern them all. */
export function refusalsIn(history: readonly StoredEvent[], configurationId: string): TimelineEntry[] {
  const refused = history.flatMap(({ event, ...stored }) =>
    isRefused(event) && (event.configurationId ?? configurationId) === configurationId ? [{ ...stored, event }] : [],
  );
  return timelineOf(refused, refusals);
}

function isRefused(event: DomainEvent): event is WalletRefused {
  return event.type === 'WalletRefused';
}

/** What happened, oldest first. */
export function timelineOf<E extends DomainEvent>(
  history: readonly StoredEvent<E>[],
  table: EventTable<E>,
): TimelineEntry[] {
  const entries: TimelineEntry[] = [];
  for (const { event, recordedAt } of history) {
    const row = rowOf(table, event.type);
    if (!row || row.step === null) continue;
    const { step, outcome = 'ok', detail = null } = row;
    const earlier = row.at?.(event);
    const entry = {
      at: earlier ?? recordedAt.toISOString(),
      step,
      outcome,
      detail: typeof detail === 'function' ? detail(event) : detail,
      ...(row.refusal && { refusal: row.refusal(event) }),
    };
    const place = earlier === undefined ? -1 : entries.findIndex(({ at }) => at > entry.at);
    entries.splice(place === -1 ? entries.length : place, 0, entry);
  }
  return entries;
}

/** The entries of two timelines as one; of the same time, those of the first come first. */
export function inOrderOfTime(some: readonly TimelineEntry[], others: readonly TimelineEntry[]): TimelineEntry[] {
  return [...some, ...others].sort((one, other) => (one.at === other.at ? 0 : one.at < other.at ? -1 : 1));
}
