import type { SqlExecutor } from './sql-driver';

/** The result of all reads of the database's clock, by all replicas together. */
export interface ClockWatch {
  /** For six hours each look has come within an hour of the one before it, by that clock: old rows may be removed by it. */
  readonly steady: boolean;
  /** It was steady or had just begun, and then jumped, or was not read for more than an hour; until it is steady again. */
  readonly doubted: boolean;
}

/** Looks, for all replicas. To be called several times an hour, or the clock is never known to be steady. */
export async function lookAtClock(executor: SqlExecutor): Promise<ClockWatch> {
  const [row] = await executor.query<ClockWatch>({
    name: 'look-at-clock',
    text: 'select steady, doubted from look_at_clock()',
    values: [],
  });
  return row ?? { steady: false, doubted: true };
}
