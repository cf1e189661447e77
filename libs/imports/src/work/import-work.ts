import { EventStore, releaseLock, SQL_DRIVER, type SqlDriver, type SqlSession, takeLock } from '@app/event-store';
import { outsideRequest } from '@app/http';
import { Tenants } from '@app/primitives/context';
import { Problem } from '@app/primitives/problems';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { ImportFiles } from '../rows/import-files';
import { ImportRounds } from './import-rounds';

/** Milliseconds between looks for work. */
const poll = 1_000;
/** Imports that a process looks after at the same time. */
const mostAtOnce = 4;
/** Of one look. */
const mostLookedAt = 200;
/** Milliseconds, and how often, that whoever wants an import at rest looks whether it is. */
const untilRest = { pause: 100, looks: 50 };
/** Seconds until work that has failed is tried again. */
const laterBy = 10;

/**
 * Does what imports need: over all processes each is looked after by one at a time, by a lock of a database session, which ends with its
 * process; then another one goes on.
 */
@Injectable()
export class ImportWork implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Imports');
  private readonly files: ImportFiles;
  private readonly serving = new Map<string, Promise<void>>();
  private readonly stopping = new AbortController();
  private session: SqlSession | undefined;
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;

  constructor(
    @Inject(SQL_DRIVER) private readonly driver: SqlDriver,
    private readonly rounds: ImportRounds,
    private readonly store: EventStore,
    private readonly tenants: Tenants,
  ) {
    this.files = new ImportFiles(driver);
  }

  onApplicationBootstrap(): void {
    if (this.store.leavesBackground) return;
    this.timer = setInterval(() => {
      this.wake();
    }, poll).unref();
  }

  /** There may be something to do. */
  wake(): void {
    if (this.stopping.signal.aborted || this.store.leavesBackground) return;
    this.looking ??= outsideRequest(() => this.look()).finally(() => {
      this.looking = undefined;
    });
  }

  /** Does something while no process makes anything of an import. Throws `conflict` when that takes too long. */
  async atRest<T>(importId: string, work: () => Promise<T>): Promise<T> {
    const session = await this.driver.session();
    try {
      for (let look = 0; !(await takeLock(session, lockOf(importId))); look++) {
        if (look === untilRest.looks) throw new Problem('conflict', 'Rows are being offered just now: try again.');
        await delay(untilRest.pause);
      }
      return await work();
    } finally {
      if (session.isAlive()) await releaseLock(session, lockOf(importId)).catch(() => undefined);
      await session.close();
    }
  }

  /** Ends after the batch under way. */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await this.looking;
    await Promise.all(this.serving.values());
    await this.session?.close();
  }

  private async look(): Promise<void> {
    try {
      const due = (await this.files.due(mostLookedAt)).filter(({ importId }) => !this.serving.has(importId));
      if (due.length === 0) return;
      const session = await this.connected();
      for (const { importId, tenant } of due) {
        // Most have nothing to do, and are over in a moment.
        if (this.serving.size >= mostAtOnce) await Promise.race(this.serving.values());
        if (this.stopping.signal.aborted) return;
        if (await takeLock(session, lockOf(importId))) this.serve(importId, tenant, session);
      }
    } catch (error) {
      this.failed(error);
    }
  }

  private serve(importId: string, tenant: string, session: SqlSession): void {
    const work = this.tenants
      .as(tenant, () => this.finish(importId, session))
      .catch((error: unknown) => {
        this.failed(error);
        return this.tenants.as(tenant, () => this.files.wake(importId, laterBy)).catch(() => undefined);
      })
      .then(async () => {
        if (session.isAlive()) await releaseLock(session, lockOf(importId)).catch(() => undefined);
        this.serving.delete(importId);
      });
    this.serving.set(importId, work);
  }

  private async finish(importId: string, session: SqlSession): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted && session.isAlive()) {
      if ((await this.rounds.next(importId, session, signal)) === 'rest') {
        await this.files.rest(importId);
        return;
      }
    }
  }

  private async connected(): Promise<SqlSession> {
    if (this.session?.isAlive() !== true) this.session = await this.driver.session();
    return this.session;
  }

  private failed(error: unknown): void {
    this.logger.warn({ event: 'imports.failed', reason: error instanceof Error ? error.name : 'unknown' });
  }
}

function lockOf(importId: string): string {
  return `import ${importId}`;
}
