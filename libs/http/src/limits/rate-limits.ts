/**
 * How many failures of a kind one client may have in a minute. A limit on failures alone never meets a portal or a
 * wallet that does it right, however many of them share an address. What anybody can begin, and others have work with, is
 * limited whether it fails or not: to what a university behind one address does not reach.
 */
export const rateLimits = {
  /** Management calls with a wrong key or token. */
  'failed-access': 10,
  /** Besides the five wrong codes that lock an offer: for a client that tries many offers. */
  'wrong-transaction-code': 20,
  /** Pages for people whose address leads nowhere: a handle cannot be guessed, and trying costs a look into the database. */
  'unknown-page': 30,
  /** Pushed authorization requests of clients that authenticate by nothing: each is stored. */
  'unauthenticated-push': 600,
  /**
   * Identifications that are begun, one for each time that the page is opened before: the OpenID provider has work with a login, and
   * the request for a presentation is stored.
   */
  login: 600,
} as const;

export type RateLimitName = keyof typeof rateLimits;
