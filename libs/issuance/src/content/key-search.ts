/** Milliseconds for which one request waits for the keys of issuers, however many credentials it holds. */
const longestWait = 2_000;
/** Lookups of one request that may be under way; a further one waits for its turn. */
const mostAtOnce = 8;

/** Looks for the keys of one request, once for each name, and ends the wait for all of them together. */
export class KeySearch<Key> {
  private readonly found = new Map<string, Promise<Key | undefined>>();
  private readonly waiting: (() => void)[] = [];
  private underWay = 0;
  private deadline: number | undefined;

  /** @param longest milliseconds from the first lookup on */
  constructor(private readonly longest = longestWait) {}

  /** What `look` finds; `undefined` when there is none, or when the time of the request has run out. */
  async find(name: string, look: () => Promise<Key | undefined>): Promise<Key | undefined> {
    this.deadline ??= performance.now() + this.longest;
    const lookup = this.found.get(name) ?? this.inTurn(look);
    this.found.set(name, lookup);
    let timer: NodeJS.Timeout | undefined;
    // A key in the cache wins against an expired timer: promises settle before timers fire.
    const expired = new Promise<undefined>((resolve) => {
      timer = setTimeout(resolve, Math.max(0, this.left()), undefined);
    });
    try {
      return await Promise.race([lookup, expired]);
    } finally {
      clearTimeout(timer);
    }
  }

  private async inTurn(look: () => Promise<Key | undefined>): Promise<Key | undefined> {
    if (this.underWay >= mostAtOnce) await new Promise<void>((go) => this.waiting.push(go));
    this.underWay++;
    try {
      // Its caller no longer waits.
      return this.left() > 0 ? await look() : undefined;
    } finally {
      this.underWay--;
      this.waiting.shift()?.();
    }
  }

  private left(): number {
    return (this.deadline ?? Infinity) - performance.now();
  }
}
