import { apart } from '@app/primitives/context';
import { SignerError } from './provider';

/** Calls of all keys; further ones are refused. */
const mostWaiting = 500;
const recoveryMs = 1_000;

interface Waiting {
  readonly key: string;
  readonly begin: () => void;
}

/**
 * The calls that one provider has under way. Their limit is halved when it throttles and grows by one a second until it is what it was. Keys
 * take turns, and one without a call under way does not wait: what hangs at one key holds none of another.
 */
export class Lanes {
  private limit: number;
  private halvings = 0;
  private recovery: NodeJS.Timeout | undefined;
  private underWay = 0;
  private readonly byKey = new Map<string, number>();
  private readonly waiting = new Set<Waiting>();

  /** @param most calls at once */
  constructor(
    private readonly provider: string,
    private readonly most: number,
  ) {
    this.limit = most;
  }

  /**
   * Rejects as the work does, or with `SignerError`: `busy` when too many wait, `timeout` when it has waited for too long.
   * @param patience milliseconds until it has to begin
   */
  async run<Answer>(key: string, patience: number, work: () => Promise<Answer>): Promise<Answer> {
    await this.enter(key, patience);
    const { halvings } = this;
    try {
      return await work();
    } catch (error) {
      // Those that were under way together are told together.
      const isFirst = halvings === this.halvings;
      if (isFirst && error instanceof SignerError && error.fault === 'throttled') this.halve();
      throw error;
    } finally {
      this.leave(key);
    }
  }

  close(): void {
    clearInterval(this.recovery);
  }

  private async enter(key: string, patience: number): Promise<void> {
    if (this.hasRoom(key)) {
      this.take(key);
      return;
    }
    if (this.waiting.size >= mostWaiting) throw new SignerError(this.provider, 'busy');
    await new Promise<void>((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        this.waiting.delete(waiting);
        this.take(key);
        resolve();
      };
      const waiting = { key, begin };
      // Calls under way hold the process.
      const timer = setTimeout(() => {
        this.waiting.delete(waiting);
        reject(new SignerError(this.provider, 'timeout'));
      }, patience).unref();
      this.waiting.add(waiting);
    });
  }

  private hasRoom(key: string): boolean {
    return this.underWay < this.limit || !this.byKey.has(key);
  }

  private take(key: string): void {
    this.underWay++;
    this.byKey.set(key, this.callsOf(key) + 1);
  }

  private leave(key: string): void {
    this.underWay--;
    const left = this.callsOf(key) - 1;
    if (left === 0) this.byKey.delete(key);
    else this.byKey.set(key, left);
    this.fill();
  }

  private callsOf(key: string): number {
    return this.byKey.get(key) ?? 0;
  }

  /** Begins with the key that has the fewest calls under way, and of its calls with the oldest. */
  private fill(): void {
    for (;;) {
      let next: Waiting | undefined;
      for (const each of this.waiting) if (!next || this.callsOf(each.key) < this.callsOf(next.key)) next = each;
      if (!next || !this.hasRoom(next.key)) return;
      next.begin();
    }
  }

  private halve(): void {
    this.halvings++;
    this.limit = Math.max(1, Math.floor(this.limit / 2));
    this.recovery ??= apart(() =>
      setInterval(() => {
        this.recover();
      }, recoveryMs).unref(),
    );
  }

  private recover(): void {
    this.limit = Math.min(this.most, this.limit + 1);
    if (this.limit === this.most) {
      clearInterval(this.recovery);
      this.recovery = undefined;
    }
    this.fill();
  }
}
