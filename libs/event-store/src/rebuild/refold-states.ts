import { Logger } from '@nestjs/common';
import { releaseLock, takeLock } from '../database/advisory-lock';
import { foldVersionOf } from '../streams/fold-version';
import { repairState } from './repair-state';
import type { SqlDriver, SqlExecutor } from '../database/sql-driver';
import { aggregateOf } from '../streams/stored-event';
import { type Aggregates, readStream, UnfoldableError } from '../passes/stream-pages';

const pageSize = 200;
/** Streams between two lines of the log. */
const sayEvery = 10_000;
const hour = 3_600_000;
const lock = 'fold anew';

/**
 * After a release has changed how a category is folded: folds all states of that category again from their events, in one
 * process at a time, while others write, and for a day those that replicas of the release before go on writing. Until that is
 * done every state is right when it is read (see fold-version.ts), and lists filtered by what is new may lack entries.
 */
export class RefoldStates {
  private readonly logger = new Logger('States');
  private stopping = false;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly driver: SqlDriver,
    private readonly aggregates: Aggregates,
  ) {}

  /** In the background, now and each hour. */
  start(): void {
    if (this.changed().length === 0) return;
    this.timer = setInterval(() => {
      this.begin();
    }, hour).unref();
    this.begin();
  }

  async stop(): Promise<void> {
    this.stopping = true;
    clearInterval(this.timer);
    await this.running;
  }

  async run(): Promise<void> {
    const due = await this.due();
    if (due.length === 0) return;
    const session = await this.driver.session();
    try {
      // Another replica may be at it.
      if (!(await takeLock(session, lock))) return;
      for (const [category, version] of await this.due()) await this.category(session, category, version);
      await releaseLock(session, lock);
    } finally {
      await session.close();
    }
  }

  private begin(): void {
    this.running = this.running
      .then(() => this.run())
      .catch((error: unknown) => {
        this.logger.error({ event: 'states.folding-failed', reason: error instanceof Error ? error.name : 'unknown' });
      });
  }

  private changed(): [category: string, foldVersion: number][] {
    return [...this.aggregates].flatMap(([category, aggregate]) => {
      const version = foldVersionOf(aggregate);
      return version > 1 ? [[category, version]] : [];
    });
  }

  /** Categories with states of an earlier fold, or that may get some: old replicas have a day to go. */
  private async due(): Promise<[category: string, foldVersion: number][]> {
    const changed = this.changed();
    const settled = await settledFolds(
      this.driver,
      changed.map(([category]) => category),
    );
    return changed.filter(([category, version]) => (settled.get(category) ?? 1) < version);
  }

  private async category(executor: SqlExecutor, category: string, version: number): Promise<void> {
    // The character after the dash ends the range of the category's ids; that after the tilde those of tenants.
    const streams =
      (await this.range(executor, category, version, [`${category}-`, `${category}.`])) +
      (await this.range(executor, category, version, [`${category}~`, `${category}\u007f`]));
    if (this.stopping) return;
    await executor.query({
      name: 'fold-done',
      text: `insert into folds (category, fold_version) values ($1, $2)
        on conflict (category) do update set fold_version = excluded.fold_version, folded_at = excluded.folded_at
        where folds.fold_version < excluded.fold_version`,
      values: [category, version],
    });
    // A new installation has none, and nothing to report.
    if (streams > 0) this.logger.log({ event: 'states.folded-anew', category, streams });
  }

  private async range(
    executor: SqlExecutor,
    category: string,
    version: number,
    [from, until]: readonly [string, string],
  ): Promise<number> {
    let [after, streams] = [from, 0];
    for (;;) {
      const page = await executor.query<{ stream_id: string }>({
        name: 'fold-page',
        text: `select stream_id from streams where stream_id > $1 and stream_id < $2
          and (fold_upto is distinct from version or fold_version < $3::integer)
          order by stream_id limit ${pageSize}`,
        values: [after, until, version],
      });
      for (const { stream_id } of page) {
        if (this.stopping) return streams;
        await this.stream(executor, stream_id);
        if (streams % sayEvery === 0) this.logger.log({ event: 'states.folding-anew', category, streams });
        streams++;
      }
      const last = page.at(-1);
      if (last === undefined) return streams;
      after = last.stream_id;
    }
  }

  private async stream(executor: SqlExecutor, streamId: string): Promise<void> {
    const stream = await readStream(executor, streamId);
    try {
      if (stream) await repairState(executor, stream, this.aggregates);
    } catch (error) {
      // One stream that cannot be read must not prevent the others from being corrected; `verify-store` names it.
      if (!(error instanceof UnfoldableError)) throw error;
      this.logger.error({ event: 'states.stream-broken', category: aggregateOf(streamId) });
    }
  }
}

/** The version of its fold of each category whose states were all folded again more than a day ago. */
export async function settledFolds(
  executor: SqlExecutor,
  categories: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (categories.length === 0) return new Map();
  const rows = await executor.query<{ category: string; fold_version: number }>({
    name: 'folds-settled',
    text: `select category, fold_version from folds
      where category = any($1::text[]) and folded_at < now() - interval '1 day'`,
    values: [categories],
  });
  return new Map(rows.map((row) => [row.category, row.fold_version]));
}
