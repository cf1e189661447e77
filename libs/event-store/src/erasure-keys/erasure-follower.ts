import { Logger } from '@nestjs/common';
import type { SqlDriver } from '../database/sql-driver';
import type { ErasureKeys } from './erasure-keys';
import { erasuresOf, recordedErasures, unknownErasures } from './erasure-records';
import { sweepKeys } from './sweep';

/** Milliseconds. */
const every = 5_000;
const sweepEvery = 60 * 60 * 1000;
/** By how much later an erasure may become visible than it is dated: the time of its statement, and clocks that differ. */
const margin = '2 minutes';

/** Destroys the erasure keys of the streams whose personal data a store has erased. */
export class ErasureFollower {
  private readonly logger = new Logger('ErasureKeys');
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private failingSince: number | undefined;
  private sweptAt = -Infinity;

  constructor(
    private readonly store: SqlDriver,
    private readonly keys: ErasureKeys,
  ) {}

  start(): void {
    this.timer = setInterval(() => {
      this.running ??= this.round().finally(() => (this.running = undefined));
    }, every).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  /** Seconds for which erasures could not be followed; 0 when they are. */
  lag(): number {
    return this.failingSince === undefined ? 0 : (performance.now() - this.failingSince) / 1000;
  }

  /** Destroys the erasure keys of streams whose data keys have just been destroyed. Rejects with `StoreUnavailableError`; `follow` repeats it. */
  async carryOut(streamIds: readonly string[]): Promise<void> {
    await this.keys.destroy(streamIds, await erasuresOf(this.store, streamIds));
  }

  /** Carries out what the store has recorded since the last time, by whatever process. */
  async follow(): Promise<void> {
    const { driver } = this.keys;
    const [row] = await driver.query<{ since: string }>({
      name: 'erasures-upto',
      text: `select (erased_upto - interval '${margin}')::text as since from followed_store where singleton`,
      values: [],
    });
    for await (const erased of recordedErasures(this.store, row?.since ?? '-infinity')) {
      const unknown = await unknownErasures(driver, erased);
      await this.keys.destroy(
        unknown.map(({ streamId }) => streamId),
        unknown,
      );
      await driver.query({
        name: 'erasures-followed',
        text: `update followed_store set erased_upto = $1::timestamptz where singleton and erased_upto < $1::timestamptz`,
        values: [erased.at(-1)?.erasedAt],
      });
    }
  }

  private async round(): Promise<void> {
    try {
      await this.follow();
      if (performance.now() - this.sweptAt > sweepEvery) {
        await sweepKeys(this.store, this.keys.driver);
        this.sweptAt = performance.now();
      }
      this.failingSince = undefined;
    } catch (error) {
      if (this.failingSince !== undefined) return;
      this.failingSince = performance.now();
      this.logger.warn({ event: 'erasure-keys.failing', reason: error instanceof Error ? error.name : 'unknown' });
    }
  }
}
