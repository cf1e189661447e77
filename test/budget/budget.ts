/**
 * What one flow, or one look at the documents, may cost the service, exactly counted on PostgreSQL with one flow at a time: a gain
 * is written down here, and a higher number needs its reason in the same commit. `wal` is in bytes, all others are counts.
 *
 * Promises, timers and ticks (`process.nextTick`) are the asynchronous way through the code. They are cheap each, under 1 µs with
 * the garbage they leave, and show exactly what a time measured on a shared machine hides.
 */
export const budget = {
  /** Seven requests: submit, offer, two documents, token, nonce, credential. */
  issuing: {
    // A half is the statements, the messages and the answers.
    promises: 133,
    timers: 29,
    ticks: 55,
    // An answer is written with one list.
    headerCalls: 0,
    // Interceptors of Nest bind to their context; none runs.
    binds: 0,
    // Handles, proofs of streams and events, nonces, the code and the token.
    hmacs: 18,
    // It is waited for, by four promises: its key may be in a device.
    signatures: 1,
    randomValues: 33,
    stringified: 119,
    // One for each request.
    lines: 7,
    // The offer by its handle; a commit of the credential with its offer, of the redemption, of the issue.
    statements: 4,
    commits: 3,
    wal: 10_600,
  },
  /** Four requests: ask, request object, answer, result. */
  verifying: {
    promises: 174,
    timers: 21,
    ticks: 31,
    headerCalls: 0,
    binds: 0,
    hmacs: 12,
    signatures: 1,
    randomValues: 26,
    stringified: 139,
    lines: 4,
    // The request by its handle, its result with the history; a commit of the request and of the answer, a row of the audit.
    statements: 5,
    commits: 3,
    wal: 11_600,
  },
  /** Eleven requests: offer, submit, offer object, two documents, push, page, decision, token, nonce, credential. */
  authorizing: {
    promises: 298,
    timers: 47,
    ticks: 82,
    headerCalls: 0,
    binds: 0,
    hmacs: 44,
    signatures: 1,
    randomValues: 56,
    stringified: 284,
    lines: 11,
    // The offer by its handle, the request by its handle for the page with template and offer, the
    // authorizations whose persons to forget. A commit of the offer, the credential, the push and its count by address, the
    // decision, the redemption, the issue.
    statements: 12,
    commits: 7,
    wal: 27_100,
  },
  /** Five requests: metadata of the issuer and of its authorization server, its keys in three places. */
  documents: {
    promises: 10,
    timers: 15,
    ticks: 48,
    headerCalls: 0,
    binds: 0,
    // They are rendered when what they say changes.
    hmacs: 0,
    signatures: 0,
    // A request and its answer have identifiers.
    randomValues: 15,
    stringified: 0,
    lines: 5,
    // Configurations are listed once a second.
    statements: 0,
    commits: 0,
    wal: 0,
  },
};

/** Of tenants who issue in turn: a flow costs what it costs the issuer of the settings, but for this. */
export const budgetOfTenants = {
  // The data key is sealed under the key of the tenant as well.
  randomValues: 34,
  // Names in the store have the mark of the tenant.
  wal: 10_700,
};

/**
 * KiB that each tenant that has issued keeps in memory, in the thread of the requests and in that of the background: far more than measured, and with a
 * thousand of them less than the 150 MiB that are the aim.
 */
export const weightOfTenants = { requests: 90, background: 30 };

export type Work = keyof (typeof budget)['issuing'];
