import { ofTenant } from '@app/primitives/context';
import type { Aggregate, DomainEvent, StoredEvent } from './aggregate';
import { NewerVersionError } from '../errors';

/** A row of `events` as every reader selects it. */
export interface EventRecord {
  readonly position: string;
  readonly stream_id: string;
  readonly version: number;
  readonly type: string;
  readonly data: Record<string, unknown>;
  readonly metadata: EventMetadata;
  readonly recorded_at: Date;
  readonly terms?: Readonly<Record<string, unknown>> | null;
}

/** A used value as the metadata of an event names it. */
export interface UsedValue {
  readonly kind: string;
  /** base64url */
  readonly hash: string;
  readonly expiresAt?: string;
  /** The value finds the stream of the event. */
  readonly bound?: true;
}

export interface EventMetadata {
  readonly unit: string;
  /** `Aggregate.eventVersion` at the time of writing; 1 where it is absent, as it is in nearly all events. */
  readonly version?: number;
  /** Who wrote it: a principal, `wallet` or `service`. Absent from rows that were added by hand. */
  readonly by?: string;
  /** Values that its unit of work has used up, when it is the first event that could name them. */
  readonly used?: readonly UsedValue[];
  /** What its unit of work has done with the data key of the stream, when it is the first event of the stream in it. */
  readonly dataKey?: 'made' | 'destroyed';
}

export const eventColumns = 'position::text, stream_id, version, type, data, metadata, recorded_at';

/**
 * What a stream is called in the store: `category-id`, or `category~mark-id` of the tenant at hand. An id may hold any character; a
 * category has neither of both signs.
 */
export function streamIdOf(category: string, id: string): string {
  return `${ofTenant(category)}-${id}`;
}

/** As `streams.category` has it: with the mark of the tenant. */
export function categoryOf(streamId: string): string {
  return streamId.slice(0, streamId.indexOf('-'));
}

/** The category of the aggregate. */
export function aggregateOf(streamId: string): string {
  const category = categoryOf(streamId);
  const mark = category.indexOf('~');
  return mark === -1 ? category : category.slice(0, mark);
}

/** The mark of the tenant whose stream it is; empty for those of the issuer of the settings. */
export function markOf(streamId: string): string {
  const category = categoryOf(streamId);
  const mark = category.indexOf('~');
  return mark === -1 ? '' : category.slice(mark + 1);
}

/** What a stream, `category-id`, of the tenant at hand is called in the store. */
export function storedNameOf(stream: string): string {
  return streamIdOf(aggregateOf(stream), idOf(stream));
}

/** The aggregate's id, without category and mark. */
export function idOf(streamId: string): string {
  return streamId.slice(streamId.indexOf('-') + 1);
}

/** Of the shape in which this release writes events of a type. */
export function eventVersionOf(
  { eventVersion = 1 }: Pick<Aggregate<unknown, DomainEvent>, 'eventVersion'>,
  type: string,
): number {
  return typeof eventVersion === 'number' ? eventVersion : (eventVersion[type] ?? 1);
}

/**
 * Brings stored data into today's shape. Without an aggregate (a category this process does not know) it stays as written.
 * Throws `NewerVersionError`.
 */
export function upcastEvent<S, E extends DomainEvent>(
  row: Pick<EventRecord, 'type' | 'data' | 'metadata'>,
  aggregate: Aggregate<S, E> | undefined,
): E {
  const { version = 1 } = row.metadata;
  const known = aggregate ? eventVersionOf(aggregate, row.type) : version;
  if (version > known) throw new NewerVersionError('event');
  const upcasted = version < known ? aggregate?.upcast?.({ type: row.type, version, data: row.data }) : undefined;
  const { type, data } = upcasted ?? row;
  // What was written as an E, or made one by the aggregate's own upcaster.
  return { type, ...data } as unknown as E;
}

/** One more event on a state. Throws `NewerVersionError` for an event of a type that the aggregate does not know. */
export function folded<S, E extends DomainEvent>(
  state: S | undefined,
  row: Pick<EventRecord, 'type' | 'data' | 'metadata'>,
  aggregate: Aggregate<S, E>,
): S {
  // Where it knows no such type, nothing is returned.
  const next: S | undefined = aggregate.evolve(state, upcastEvent(row, aggregate));
  if (next === undefined) throw new NewerVersionError('event');
  return next;
}

export function readEvent<S, E extends DomainEvent>(
  row: EventRecord,
  aggregate: Aggregate<S, E> | undefined,
): StoredEvent<E> {
  return {
    position: row.position,
    category: aggregateOf(row.stream_id),
    tenant: markOf(row.stream_id),
    id: idOf(row.stream_id),
    version: row.version,
    event: upcastEvent(row, aggregate),
    recordedAt: row.recorded_at,
    unit: row.metadata.unit,
    ...(row.terms && { terms: row.terms }),
  };
}
