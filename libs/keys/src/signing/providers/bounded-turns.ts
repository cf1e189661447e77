import { AsyncResource } from 'node:async_hooks';
import type { SignerError } from './provider';

/** At most so many pieces of work at once; the others wait in order. */
export class BoundedTurns {
  /** What has its turn. */
  readonly underWay = new Set<Promise<unknown>>();
  private readonly waiting = new Set<() => void>();

  constructor(
    private readonly atOnce: number,
    private readonly mostWaiting: number,
    /** busy: its turn did not come; timeout: the work did not end. */
    private readonly fail: (fault: 'busy' | 'timeout') => SignerError,
  ) {}

  /**
   * What the work results in. When the caller's patience ends during it, the work goes on and keeps its turn.
   * @param patience milliseconds
   */
  run<T>(work: () => Promise<T>, patience: number): Promise<T> {
    return new Promise((resolve, reject) => {
      // Another one that ends begins it, in the context of this caller.
      const begin = AsyncResource.bind(() => {
        this.waiting.delete(begin);
        const done = work().finally(() => {
          clearTimeout(timer);
          this.underWay.delete(done);
          const [next] = this.waiting;
          next?.();
        });
        this.underWay.add(done);
        done.then(resolve, reject);
      });
      const timer = setTimeout(() => {
        reject(this.fail(this.waiting.delete(begin) ? 'busy' : 'timeout'));
      }, patience);
      if (this.underWay.size < this.atOnce) begin();
      else if (this.waiting.size < this.mostWaiting) this.waiting.add(begin);
      else {
        clearTimeout(timer);
        reject(this.fail('busy'));
      }
    });
  }
}
