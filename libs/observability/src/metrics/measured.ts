/** Tables whose rows carry a proof that is checked on use. */
export const provenTables = ['api_keys', 'console_sessions', 'key_store'] as const;

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
  /** Lists that end soon: their operator has to publish the next one. */
  readonly lateLists: number;
  /** Until the first anchor expires; absent without anchors. */
  readonly anchorExpiresSeconds?: number;
  /** Until the first list expires; absent without lists. */
  readonly listExpiresSeconds?: number;
}

/** Of the registration certificates of this service. */
export interface RegistrationFacts {
  /** By state, a word. */
  readonly certificates: Readonly<Record<string, number>>;
  /** Until the first of the valid ones ends; absent without one. */
  readonly expiresSeconds?: number;
}

/** A key at a signer outside of this process, and why it does not sign; words of settings and code. */
export interface FailingSigner {
  readonly provider: string;
  readonly algorithm: string;
  readonly reason: string;
}

/** Calls to a signer outside of this process; the name is one of the settings. */
export interface SignerCalls {
  readonly provider: string;
  readonly waiting: number;
  readonly underWay: number;
  readonly allowed: number;
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
