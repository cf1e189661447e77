/**
 * How many failures of a kind one client may have in a minute. A limit on failures alone never meets a portal or a
 * wallet that does it right, however many of them share an address.
 */
export const rateLimits = {
  /** Management calls with a wrong key or token. */
  'failed-access': 10,
  /** Besides the five wrong codes that lock an offer: for a client that tries many offers. */
  'wrong-transaction-code': 20,
  /** Pages for people whose address leads nowhere: a handle cannot be guessed, and trying costs a look into the database. */
  'unknown-page': 30,
} as const;

export type RateLimitName = keyof typeof rateLimits;
