export const offerOutcomes = [
  'created',
  'fetched',
  'redeemed',
  'answer_lost',
  'answer_repeated',
  'wrong_transaction_code',
  'locked',
  'withdrawn',
  'taken_offline',
  'taken_online',
  'reopened',
  'sent',
  'sending_failed',
  'refused',
  'credential_denied',
] as const;
export type OfferOutcome = (typeof offerOutcomes)[number];

export const credentialOutcomes = ['prepared', 'issued', 'accepted', 'refused', 'deleted'] as const;
export type CredentialOutcome = (typeof credentialOutcomes)[number];

export const presentationOutcomes = ['requested', 'retrieved', 'verified', 'rejected'] as const;
export type PresentationOutcome = (typeof presentationOutcomes)[number];

export type AppendOutcome = 'stored' | 'conflict' | 'failed' | 'dropped' | 'unknown';

/** Tables in which rows carry a proof that is looked at when they are used. */
export const provenTables = ['api_keys', 'key_store'] as const;

/** Why work was given up before the database was asked. */
export const dropReasons = ['client_gone', 'deadline', 'queue_full', 'database_silent'] as const;

/** What requests to other servers are for, as `libs/outbound` calls it. */
export const outboundPurposes = [
  'access-tokens',
  'offer-sending',
  'issuer-keys',
  'status-lists',
  'holder-keys',
  'self-check',
] as const;
export type OutboundPurpose = (typeof outboundPurposes)[number];

/** What waits for the database, what was given up since the process began, and how long the database has been silent. */
export interface Backlog {
  readonly units: number;
  readonly bytes: number;
  readonly dropped: Readonly<Record<(typeof dropReasons)[number], number>>;
  readonly silentSeconds: number;
}

/** A request of which the answer is out, or whose client has gone. */
export interface AnsweredRequest {
  readonly method: string;
  /** `/v0/offers/:offerId`; `unmatched` when no route took it. Never the path itself: handles in it are secrets. */
  readonly route: string;
  /** 499 when the client went away before the answer. */
  readonly status: number;
  readonly seconds: number;
}

/** Connections of the database pool; `waiting` counts who waits for one. */
export type ConnectionCounts = Readonly<Record<'idle' | 'busy' | 'waiting', number>>;

/**
 * What the service counts and times about itself. Inject it and call it; nothing happens while metrics are disabled.
 * Labels are words of the code, never what a caller sent and never an id: each new value is a series for ever.
 */
export class Metrics {
  /** Whether anybody counts: for what costs something to find out. */
  readonly enabled: boolean = false;

  requestAnswered(_request: AnsweredRequest): void {}

  offer(_outcome: OfferOutcome): void {}

  credential(_format: string, _outcome: CredentialOutcome): void {}

  presentation(_outcome: PresentationOutcome): void {}

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
