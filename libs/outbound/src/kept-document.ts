/** Milliseconds. */
export interface KeepingTimes {
  /** How long the document is taken as current: what its owner takes back counts until then, and while the server fails. */
  readonly currentFor: number;
  /** From one request for a newer document to the next, and while the server fails, so that nobody can make us hammer it. */
  readonly coolDown: number;
  /** The same while there is none. */
  readonly pause: number;
}

/**
 * Of the keys of another server. Anybody can make up the id of a key, so that a flood of them costs it one request in some seconds;
 * what was signed by a new key is refused for no longer. While there are no keys, everybody asks for them.
 */
export const keySetTimes: KeepingTimes = { currentFor: 10 * 60_000, coolDown: 5_000, pause: 0 };

interface Held<Content> {
  readonly content: Content;
  readonly fetchedAt: number;
}

/** A document of another server: fetched when it is needed, by one request at a time, and kept while its server fails. */
export class KeptDocument<Content> {
  private held: Held<Content> | undefined;
  private askedAt = -Infinity;
  private underWay: Promise<Content | undefined> | undefined;

  /** @param fetch gives `undefined` when the document cannot be had */
  constructor(
    private readonly fetch: () => Promise<Content | undefined>,
    private readonly times: KeepingTimes,
  ) {}

  /** The last one that could be had; `undefined` without any. @param now in milliseconds, of any clock */
  async current(now: number): Promise<Content | undefined> {
    const { held } = this;
    if (held && now - held.fetchedAt < this.times.currentFor) return held.content;
    const fetched = await this.newer(now);
    // Whoever needs a newer one than this has it at once: it may have been made just after.
    if (fetched !== undefined) this.askedAt = -Infinity;
    return fetched ?? held?.content;
  }

  /** For whoever needs a newer one than `current`; `undefined` when it was asked for a moment ago, or its server fails. */
  async newer(now: number): Promise<Content | undefined> {
    if (this.underWay) return this.underWay;
    if (now - this.askedAt < (this.held ? this.times.coolDown : this.times.pause)) return undefined;
    this.askedAt = now;
    this.underWay = this.fetchAt(now).finally(() => (this.underWay = undefined));
    return this.underWay;
  }

  private async fetchAt(now: number): Promise<Content | undefined> {
    const content = await this.fetch();
    if (content !== undefined) this.held = { content, fetchedAt: now };
    return content;
  }
}
