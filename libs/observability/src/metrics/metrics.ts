import type { OutboundPurpose } from '@app/outbound';
import type { EventCounter, Labels } from './event-counter';

/** Tables whose rows carry a proof that is checked on use. */
export const provenTables = ['api_keys', 'key_store'] as const;

/** A stream as a unit of work has left it. */
export interface CountedStream {
  readonly category: string;
  readonly state: unknown;
  /** Those the unit added. */
  readonly events: readonly { readonly type: string }[];
}

/** Work that waits for the database. */
export interface WaitingWork {
  readonly units: number;
  readonly bytes: number;
  /** Since the process began, by reason. */
  readonly dropped: Readonly<Record<string, number>>;
  /** 0 while the database answers. */
  readonly silentSeconds: number;
}

/** Connections of a pool, by what they do. */
export type Connections = Readonly<Record<'idle' | 'busy' | 'waiting', number>>;

/** A request that was answered, or whose client disconnected. */
export interface AnsweredRequest {
  readonly method: string;
  /** `/v0/offers/:offerId`; `unmatched` when no route took it. Never the path itself: handles in it are secrets. */
  readonly route: string;
  /** 499 when the client went away before the answer. */
  readonly status: number;
  readonly seconds: number;
}

/** A wallet that was refused; all are words of the code. */
export interface RefusedWallet {
  /** Of the request. */
  readonly route: string;
  /** The `error` that the wallet got; `no-token` where it got none. */
  readonly error: string;
  readonly reason: string;
}

/** Of the status lists of this service. */
export interface StatusListFacts {
  /** By signer, a word: how many lists there are, and the entries of the one that is in use. */
  readonly lists: ReadonlyMap<string, { readonly count: number; readonly size: number; readonly reserved: number }>;
  /** Seconds since the lists that are served were compared with the database; 0 unless that fails. */
  readonly age: number;
}

/** Of the certificate authorities that are trusted. */
export interface TrustFacts {
  /** By purpose, a word. */
  readonly anchors: Readonly<Record<string, number>>;
  /** Files and lists that cannot be read as they are now. */
  readonly faults: number;
  /** Until the first anchor expires; absent without anchors. */
  readonly anchorExpiresSeconds?: number;
  /** Until the first list expires; absent without lists. */
  readonly listExpiresSeconds?: number;
}

/** A certificate under which this service signs. */
export interface CertificateFacts {
  /** What is signed, a word. */
  readonly use: string;
  readonly algorithm: string;
  readonly notAfter: Date;
}

/** Of the webhooks. */
export interface WebhookFacts {
  readonly count: Readonly<Record<'healthy' | 'failing' | 'paused', number>>;
  /** How long the oldest event waits that is to be sent; 0 when there is none. Those of paused webhooks do not count. */
  readonly waitingSeconds: number;
}

/**
 * What the service measures about itself. Inject it and call it; nothing happens while metrics are disabled.
 * Labels are words of the code, never request data or ids: each new value is a new time series.
 */
export class Metrics {
  /** Whether metrics are enabled; check it before computing a costly value. */
  readonly enabled: boolean = false;

  requestAnswered(_request: AnsweredRequest): void {}

  /** Counts what a unit of work stored, as the counters of its modules say. */
  stored(_streams: Iterable<CountedStream>): void {}

  /** Adds one to a series of a module's counter, for what leaves no event. */
  count(_counter: EventCounter, _labels: Labels): void {}

  walletRefused(_refused: RefusedWallet): void {}

  signed(_algorithm: string, _seconds: number): void {}

  appended(_outcome: string, _seconds: number): void {}

  /** A call of the management API was rejected; `reason` is the kind of refusal. */
  accessRefused(_reason: string): void {}

  /** A request was rejected by a rate limit; `limit` is the name of the limit. */
  rateLimited(_limit: string): void {}

  /** Failures could not be counted or limits not read, so no rate limit is enforced. */
  rateLimitFailed(): void {}

  /** An audit row could not be written. */
  auditFailed(): void {}

  /** An outgoing request was given up because too many of its purpose were in progress. */
  outboundBusy(_purpose: OutboundPurpose): void {}

  /** Whether the database clock may have jumped, which suspends the removal of old rows. */
  clockDoubted(_isDoubted: boolean): void {}

  /** A row was found that was changed outside of the service; it is ignored. */
  rowAltered(_table: (typeof provenTables)[number]): void {}

  /** How to read the pool when metrics are scraped; `undefined` when there is no pool. */
  readConnections(_read: () => Connections | undefined): void {}

  /** How to read the queue of work that waits for the database. */
  readBacklog(_read: () => WaitingWork): void {}

  /** How to read how many event streams are open. */
  readEventStreams(_read: () => number): void {}

  /** How to read how many seconds each subscription is behind. */
  readSubscriptionLags(_read: () => Promise<ReadonlyMap<string, number>>): void {}

  /** How to read which certificate authorities are trusted, and what is wrong with their files and lists. */
  readTrust(_read: () => TrustFacts): void {}

  /** How to read whether people can log in at the OpenID provider; `undefined` when there is none, or it is not known. */
  readLoginProvider(_read: () => 'usable' | 'failing' | undefined): void {}

  /** How to read which certificates are in use. */
  readCertificates(_read: () => readonly CertificateFacts[]): void {}

  /** How to read how the webhooks fare. */
  readWebhooks(_read: () => Promise<WebhookFacts>): void {}

  /** How to read for how many seconds the oldest erasure is due that was not carried out. */
  readErasuresOverdue(_read: () => Promise<number>): void {}

  /** How to read how far the status lists are filled that are in use, and how old what is served of them is. */
  readStatusLists(_read: () => Promise<StatusListFacts>): void {}
}
