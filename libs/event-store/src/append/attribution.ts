/** One row of the audit. Holds no claims, codes or tokens. */
export interface AuditEntry {
  readonly principal: string;
  /** The client that the principal belongs to. */
  readonly client: string | null;
  /** `offers.withdraw` */
  readonly action: string;
  /** The id of what the action was about. */
  readonly object: string | null;
  /** `ok`, `replayed`, or the slug of the error that the caller got. */
  readonly outcome: string;
  readonly requestId: string | null;
  /** How many events of the same kind the row stands for; 1 when absent. */
  readonly count?: number;
}

export interface ChangedStream {
  readonly category: string;
  readonly id: string;
}

/** On whose behalf a unit of work is done. */
export interface Attribution {
  /** Stands as `by` in the metadata of its events. */
  readonly by: string;
  /** What a unit that has events, or destroys a data key, leaves in the audit; written by the same statement. */
  readonly audit?: (changed: readonly ChangedStream[]) => AuditEntry;
  /** Called when what `audit` returned is stored. */
  readonly stored?: () => void;
}

/** Asked when a unit of work begins. */
export type AttributionSource = () => Attribution;

/** What the service does by itself: at its start, and in subscriptions. */
export const ownWork: Attribution = { by: 'service' };
