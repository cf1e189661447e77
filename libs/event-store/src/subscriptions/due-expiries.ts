import { Tenants } from '@app/primitives/context';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { releaseLock, takeLock } from '../database/advisory-lock';
import type { StreamListQuery, Page } from '../streams/aggregate';
import { SQL_DRIVER, type SqlDriver } from '../database/sql-driver';

/** One kind of streams that expire. */
export interface Expiring {
  /** Those whose time has come and whose expiry is not recorded. */
  list(page: Pick<StreamListQuery, 'limit' | 'cursor'>): Promise<Page<unknown>>;
  /** Must do nothing when that has changed meanwhile. */
  record(id: string): Promise<void>;
}

const pageSize = 200;
/** Streams at the same time; their units of work share statements. */
const lanes = 10;
/** Of one run and kind; the rest waits for the next. */
const mostPages = 10;
const lock = 'due expiries';

/** Records the expiry of streams, for those who follow their events: to the service itself, the clock says it already. */
@Injectable()
export class DueExpiries {
  private readonly logger = new Logger('Expiries');
  private readonly kinds: Expiring[] = [];

  constructor(
    @Inject(SQL_DRIVER) private readonly driver: SqlDriver,
    private readonly tenants: Tenants = new Tenants(),
  ) {}

  add(kind: Expiring): void {
    this.kinds.push(kind);
  }

  /** In one process at a time. */
  async run(): Promise<void> {
    const due: boolean[] = [];
    await this.tenants.each(async () => {
      due.push(await this.isAnyDue());
    });
    if (!due.includes(true)) return;
    const session = await this.driver.session();
    try {
      if (!(await takeLock(session, lock))) return;
      try {
        await this.tenants.each(async () => {
          for (const kind of this.kinds) await this.recordAll(kind);
        });
      } finally {
        if (session.isAlive()) await releaseLock(session, lock);
      }
    } finally {
      await session.close();
    }
  }

  private async isAnyDue(): Promise<boolean> {
    for (const kind of this.kinds) if ((await kind.list({ limit: 1 })).items.length > 0) return true;
    return false;
  }

  private async recordAll(kind: Expiring): Promise<void> {
    let cursor: string | undefined;
    for (let pages = 0; pages < mostPages; pages++) {
      const { items, nextCursor } = await kind.list({ limit: pageSize, ...(cursor !== undefined && { cursor }) });
      const waiting = items.values();
      const lane = async (): Promise<void> => {
        for (const { id } of waiting) await this.recordOne(kind, id);
      };
      await Promise.all(Array.from({ length: lanes }, lane));
      if (nextCursor === null) return;
      cursor = nextCursor;
    }
  }

  /** One that fails does not keep the others from being recorded; the next run tries it again. */
  private async recordOne(kind: Expiring, id: string): Promise<void> {
    try {
      await kind.record(id);
    } catch (error) {
      this.logger.warn({ event: 'expiry.not-recorded', reason: error instanceof Error ? error.name : 'unknown' });
    }
  }
}
