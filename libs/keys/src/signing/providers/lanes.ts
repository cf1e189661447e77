import { AsyncResource } from 'node:async_hooks';
import { apart } from '@app/primitives/context';
import { type ProviderCalls, SignerError } from './provider';

/** Calls of all keys; further ones are refused. */
const mostWaiting = 500;
/** Inputs of one call. */
const mostTogether = 16;
const recoveryMs = 1_000;

interface Waiting {
  readonly key: string;
  /** What others of the key may take along; undefined where each has a call of its own. */
  readonly input: unknown;
  readonly begin: () => void;
  readonly take: (answer: Promise<unknown>) => void;
}

/**
 * The calls that one provider has under way. Their limit is halved when it throttles and grows by one a second until it is what it was. Keys
 * take turns, and one without a call under way does not wait: what hangs at one key holds none of another.
 */
export class Lanes {
  readonly underWay = new Set<Promise<unknown>>();
  private limit: number;
  private halvings = 0;
  private recovery: NodeJS.Timeout | undefined;
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
   * Rejects as the work does, or with `SignerError`: `busy` when too many wait, `timeout` when patience ends. Work that is under way then goes
   * on, and keeps its place.
   * @param patience milliseconds
   */
  run<Answer>(key: string, patience: number, work: () => Promise<Answer>): Promise<Answer> {
    return this.runTogether(key, patience, undefined, async () => [await work()]);
  }

  /** The same for an input that goes with others of its key, if any wait then. @param work answers each, in their order */
  runTogether<Input, Answer>(
    key: string,
    patience: number,
    input: Input,
    work: (inputs: readonly Input[]) => Promise<readonly Answer[]>,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      // Another one that ends begins it, in the context of this caller.
      const begin = AsyncResource.bind(() => {
        this.waiting.delete(waiting);
        const others = [...this.waiting].filter((each) => each.key === key && each.input !== undefined);
        const together = [waiting, ...(input === undefined ? [] : others.slice(0, mostTogether - 1))];
        for (const each of together) this.waiting.delete(each);
        this.byKey.set(key, this.callsOf(key) + 1);
        const { halvings } = this;
        const done = work(together.map((each) => each.input as Input))
          .catch((error: unknown) => {
            // Those that were under way together are told together.
            const isFirst = halvings === this.halvings;
            if (isFirst && error instanceof SignerError && error.fault === 'throttled') this.halve();
            throw error;
          })
          .finally(() => {
            this.underWay.delete(done);
            this.leave(key);
          });
        this.underWay.add(done);
        for (const [place, { take }] of together.entries()) take(done.then((answers) => answers[place]));
      });
      // Calls under way hold the process.
      const timer = setTimeout(() => {
        this.waiting.delete(waiting);
        reject(new SignerError(this.provider, 'timeout'));
      }, patience).unref();
      const take = (answer: Promise<unknown>): void => {
        answer
          .then((answered) => {
            resolve(answered as Answer);
          }, reject)
          .finally(() => {
            clearTimeout(timer);
          });
      };
      const waiting = { key, input, begin, take };
      if (this.hasRoom(key)) begin();
      else if (this.waiting.size < mostWaiting) this.waiting.add(waiting);
      else {
        clearTimeout(timer);
        reject(new SignerError(this.provider, 'busy'));
      }
    });
  }

  get calls(): ProviderCalls {
    return { waiting: this.waiting.size, underWay: this.underWay.size, allowed: this.limit };
  }

  close(): void {
    clearInterval(this.recovery);
  }

  private hasRoom(key: string): boolean {
    return this.underWay.size < this.limit || !this.byKey.has(key);
  }

  private leave(key: string): void {
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
