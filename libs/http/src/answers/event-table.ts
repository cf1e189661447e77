import type { DomainEvent, Publication, StoredEvent } from '@app/event-store';
import type { EventCounter } from '@app/observability';
import type { WalletRefusal } from '@app/openid4vc';

/** What one event means to the people who run a portal; nothing of a person and no code is in it. */
interface ToldEvent<E> {
  readonly step: string;
  /** `ok` when absent. */
  readonly outcome?: 'ok' | 'refused' | 'failed' | 'rejected' | 'verified';
  /** `null` when absent. */
  readonly detail?: string | ((event: E) => unknown);
  /** RFC 3339; when it happened, where that is earlier than it was recorded. */
  readonly at?: (event: E) => string | undefined;
  /** Of a wallet that was refused. */
  readonly refusal?: (event: E) => Omit<WalletRefusal, 'description'>;
}

/** All that is made known of one type of event. */
type EventRow<E> = (ToldEvent<E> | { readonly step: null }) & {
  /** The outcome that the counter of its streams has for it; `null`: it counts as nothing. */
  readonly counted: string | null;
  /** Its type among the events for others; `null`: private. */
  readonly published: string | null;
  /** What others learn besides what all events of the stream say: JSON. */
  readonly data?: (event: E) => Readonly<Record<string, unknown>>;
};

/** All that is made known of the events of one kind of stream, in the order in which the steps are listed. */
export type EventTable<E extends DomainEvent> = { readonly [T in E['type']]: EventRow<E & { readonly type: T }> };

export function rowOf<E extends DomainEvent>(table: EventTable<E>, type: string): EventRow<E> | undefined {
  return byType(table)[type];
}

/** What can happen to a stream. */
export function timelineSteps<E extends DomainEvent>(table: EventTable<E>): readonly string[] {
  return named(rowsOf(table).map(([, { step }]) => step));
}

/** One series for each outcome. */
export function counterOf<E extends DomainEvent>(
  table: EventTable<E>,
  about: Pick<EventCounter, 'category' | 'name' | 'help'>,
): EventCounter {
  return {
    ...about,
    series: named(rowsOf(table).map(([, { counted }]) => counted)).map((outcome) => ({ outcome })),
    seriesOf: (type) => {
      const outcome = rowOf(table, type)?.counted ?? undefined;
      return outcome === undefined ? undefined : { outcome };
    },
  };
}

/** @param data what all events of the stream say */
export function publicationOf<E extends DomainEvent>(
  table: EventTable<E>,
  about: Pick<Publication, 'category' | 'resources'>,
  data: (stored: Omit<StoredEvent, 'event'>) => Readonly<Record<string, unknown>>,
): Publication<E> {
  const types = rowsOf(table).map(([type, { published }]) => [type, published]);
  return {
    ...about,
    types: Object.fromEntries(types) as Publication<E>['types'],
    data: ({ event, ...stored }) => ({ ...data(stored), ...rowOf(table, event.type)?.data?.(event) }),
    time: (event) => {
      const row = rowOf(table, event.type);
      // Refusals that were counted together are published as they are recorded.
      return !row || row.step === null || row.refusal ? undefined : row.at?.(event);
    },
  };
}

function rowsOf<E extends DomainEvent>(table: EventTable<E>): [string, EventRow<E>][] {
  return Object.entries(byType(table));
}

function byType<E extends DomainEvent>(table: EventTable<E>): Readonly<Record<string, EventRow<E>>> {
  return table as unknown as Readonly<Record<string, EventRow<E>>>;
}

function named(all: readonly (string | null)[]): string[] {
  return [...new Set(all)].filter((one) => one !== null);
}
