/** Microseconds by which the clock may be corrected without what is stamped going back. */
const smallCorrection = 1_000_000;

/** Milliseconds. A database that hung for a minute would otherwise set the clock back by it. */
const longest = 1_000;

/** Milliseconds for an answer by which the present time of the database is known well enough to decide. */
const prompt = 250;
/** Milliseconds for which that is so. */
const knownFor = 5_000;
/** Milliseconds by which two clocks of this process may differ that were equal then. */
const tolerance = 1_000;

/**
 * The database's clock between two reads: its last answer, advanced by the clock of this process. Good for
 * stamping authenticated values; what is decided inside a unit of work uses the clock that was read with the data.
 */
export class DatabaseClock {
  private offset = 0;
  /** Microseconds since 1970. */
  private stamped = 0;
  /** On the clock of `performance.now()`: when the last prompt answer was asked for, and what is to be added for the latest time it allows. */
  private known = { at: -Infinity, ahead: 0 };

  /**
   * @param took milliseconds from the question to the answer: a late answer says little about the present
   * @param askedAt when the question was sent, on the clock of `performance.now()`
   */
  observe(now: Date, took = 0, askedAt = performance.now() - took): void {
    if (took <= longest) this.correct(now, took, askedAt);
  }

  /** As `observe`, for who knows that the clock is wrong: a late answer is better than none. */
  correct(now: Date, took: number, askedAt = performance.now() - took): void {
    this.offset = now.getTime() + took / 2 - Date.now();
    // It was read after it was asked for; what follows a millisecond is cut off.
    const ahead = now.getTime() + 1 - askedAt;
    this.known = took <= prompt ? { at: askedAt, ahead } : { at: -Infinity, ahead };
  }

  /**
   * A time that the database's clock has not passed, so that no expiry is judged too late by it, and is milliseconds ahead at most.
   * `undefined` when it was not seen for a while, or the clocks of this process do not agree on how much time went by since.
   */
  latest(): Date | undefined {
    const now = performance.now();
    if (now - this.known.at > knownFor) return undefined;
    const [bySteady, byClock] = [now + this.known.ahead, Date.now() + this.offset];
    return Math.abs(bySteady - byClock) > tolerance ? undefined : new Date(Math.ceil(Math.max(bySteady, byClock)));
  }

  now(): Date {
    return new Date(Date.now() + this.offset);
  }

  /**
   * A distinct time for what is stored, later than the one before, so that the order of creation is kept: UTC in
   * microseconds, as the database renders it.
   */
  stamp(): string {
    const now = Math.floor((Date.now() + this.offset) * 1000);
    const goesBack = this.stamped - now;
    this.stamped = goesBack >= 0 && goesBack < smallCorrection ? this.stamped + 1 : now;
    const milliseconds = new Date(Math.floor(this.stamped / 1000)).toISOString().slice(0, -1);
    return `${milliseconds}${String(this.stamped % 1000).padStart(3, '0')}Z`;
  }

  /** Milliseconds by which the database's clock is ahead of the one of this process. */
  ahead(): number {
    return this.offset;
  }
}
