import type { AppendedStream, AppendOutcome, Backlog, ConnectionCounts } from '@app/event-store';
import type { OutboundPurpose } from '@app/outbound';
import type { EventCounter, Labels } from './event-counter';

/** Tables in which rows carry a proof that is looked at when they are used. */
export const provenTables = ['api_keys', 'key_store'] as const;

/** A request of which the answer is out, or whose client has gone. */
export interface AnsweredRequest {
  readonly method: string;
  /** `/v0/offers/:offerId`; `unmatched` when no route took it. Never the path itself: handles in it are secrets. */
  readonly route: string;
  /** 499 when the client went away before the answer. */
  readonly status: number;
  readonly seconds: number;
}

/**
 * What the service counts and times about itself. Inject it and call it; nothing happens while metrics are disabled.
 * Labels are words of the code, never what a caller sent and never an id: each new value is a series for ever.
 */
export class Metrics {
  /** Whether anybody counts: for what costs something to find out. */
  readonly enabled: boolean = false;

  requestAnswered(_request: AnsweredRequest): void {}

  /** Counts what a unit of work stored, as the counters of its modules say. */
  stored(_streams: Iterable<AppendedStream>): void {}

  /** Adds one to a series of a module's counter, for what leaves no event. */
  count(_counter: EventCounter, _labels: Labels): void {}

  signed(_algorithm: string, _seconds: number): void {}

  appended(_outcome: AppendOutcome, _seconds: number): void {}

  /** A call of the management API was turned away; `reason` is the kind of refusal. */
  accessRefused(_reason: string): void {}

  /** A caller was told to come back later; `limit` is the name of the limit. */
  rateLimited(_limit: string): void {}

  /** Failures could not be counted, or limits not be read: none is in force meanwhile. */
  rateLimitFailed(): void {}

  /** Something that has to stand in the audit could not be written there. */
  auditFailed(): void {}

  /** A request to another server was given up because too many of its purpose were under way. */
  outboundBusy(_purpose: OutboundPurpose): void {}

  /** Whether the database's clock may have jumped, so that no old rows are removed by it. */
  clockDoubted(_isDoubted: boolean): void {}

  /** A row was found that somebody changed past the service; it is not believed. */
  rowAltered(_table: (typeof provenTables)[number]): void {}

  /** Where to read the pool when somebody reads the metrics; `undefined` when there is no pool. */
  readConnections(_read: () => ConnectionCounts | undefined): void {}

  /** Where to read what waits for the database. */
  readBacklog(_read: () => Backlog): void {}

  /** Where to read how many seconds each subscription is behind. */
  readSubscriptionLags(_read: () => Promise<ReadonlyMap<string, number>>): void {}
}
