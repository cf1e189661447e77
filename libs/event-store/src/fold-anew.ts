import { Logger } from '@nestjs/common';
import { foldVersionOf } from './fold-version';
import { putRight } from './put-right';
import type { SqlDriver, SqlExecutor } from './sql-driver';
import { categoryOf } from './stored-event';
import { type Aggregates, readStream, UnfoldableError } from './stream-pages';

const pageSize = 200;
/** Streams between two lines of the log. */
const sayEvery = 10_000;

/**
 * After a release has changed how a category is folded: makes all states of that category anew from their events, once over
 * all replicas, beside writers. Until that is done every state is right when it is read (see fold-version.ts), and lists
 * filtered by what is new may lack entries.
 */
export class FoldAnew {
  private readonly logger = new Logger('States');
  private stopping = false;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly driver: SqlDriver,
    private readonly aggregates: Aggregates,
  ) {}

  /** In the background. What fails is done by the next replica that starts. */
  start(): void {
    this.running = this.run().catch((error: unknown) => {
      this.logger.error({ event: 'states.folding-failed', reason: error instanceof Error ? error.name : 'unknown' });
    });
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.running;
  }

  async run(): Promise<void> {
    const due = await this.due();
    if (due.length === 0) return;
    const session = await this.driver.session();
    try {
      const [row] = await session.query<{ taken: boolean }>({
        name: 'fold-lock',
        text: `select pg_try_advisory_lock(hashtextextended('fold anew', 0)) as taken`,
        values: [],
      });
      // Another replica is at it.
      if (row?.taken !== true) return;
      for (const category of await this.due()) await this.category(session, category);
      await session.query({
        name: 'fold-unlock',
        text: `select pg_advisory_unlock(hashtextextended('fold anew', 0))`,
        values: [],
      });
    } finally {
      await session.close();
    }
  }

  /** Categories whose fold has changed since their states were made anew, if they ever were. */
  private async due(): Promise<string[]> {
    const changed = [...this.aggregates].filter(([, aggregate]) => foldVersionOf(aggregate) > 1);
    if (changed.length === 0) return [];
    const done = await this.driver.query<{ category: string; fold_version: number }>({
      name: 'folds',
      text: 'select category, fold_version from folds where category = any($1::text[])',
      values: [changed.map(([category]) => category)],
    });
    const reached = new Map(done.map((row) => [row.category, row.fold_version]));
    return changed.flatMap(([category, aggregate]) =>
      (reached.get(category) ?? 1) < foldVersionOf(aggregate) ? [category] : [],
    );
  }

  private async category(executor: SqlExecutor, category: string): Promise<void> {
    this.logger.log({ event: 'states.folding-anew', category });
    let [after, streams] = [`${category}-`, 0];
    for (;;) {
      const page = await executor.query<{ stream_id: string }>({
        name: 'fold-page',
        // The character after the dash ends the range of the category's ids.
        text: `select stream_id from streams where stream_id > $1 and stream_id < $2 order by stream_id limit ${pageSize}`,
        values: [after, `${category}.`],
      });
      for (const { stream_id } of page) {
        if (this.stopping) return;
        await this.stream(executor, stream_id);
        if (++streams % sayEvery === 0) this.logger.log({ event: 'states.folding-anew', category, streams });
      }
      const last = page.at(-1);
      if (last === undefined) break;
      after = last.stream_id;
    }
    await executor.query({
      name: 'fold-done',
      text: `insert into folds (category, fold_version) values ($1, $2)
        on conflict (category) do update set fold_version = greatest(folds.fold_version, excluded.fold_version)`,
      values: [category, this.wanted(category)],
    });
    this.logger.log({ event: 'states.folded-anew', category, streams });
  }

  private async stream(executor: SqlExecutor, streamId: string): Promise<void> {
    const stream = await readStream(executor, streamId);
    try {
      if (stream) await putRight(executor, stream, this.aggregates);
    } catch (error) {
      // One stream that cannot be read must not keep the others from being right; `verify-store` names it.
      if (!(error instanceof UnfoldableError)) throw error;
      this.logger.error({ event: 'states.stream-broken', category: categoryOf(streamId) });
    }
  }

  private wanted(category: string): number {
    return foldVersionOf(this.aggregates.get(category) ?? {});
  }
}
