import { inLanes } from '@app/primitives/awaitable';
import { Tenants } from '@app/primitives/context';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { releaseLock, takeLock } from '../database/advisory-lock';
import { type SqlDriver, STORE_DRIVER } from '../database/sql-driver';
import { isHere } from '../database/moved-tenants';
import { aggregateOf, idOf, markOf } from '../streams/stored-event';

/** Erases one stream by its id; must do nothing when that is done. */
type Eraser = (id: string) => Promise<void>;

const pageSize = 200;
/** Streams at the same time; their units of work share statements. */
const lanes = 20;
/** Of one run; the rest waits for the next. */
const mostPages = 100;
const lock = 'due erasures';

/** The clock of the database in the form of `Date.toISOString`, in which `eraseAt` is stored. */
const now = `to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
/** Column and predicate of the index `streams_to_erase`. */
const eraseAt = `((state->>'eraseAt') collate "C")`;
const isPending = `state ? 'eraseAt' and not state ? 'erasedAt' and ${isHere}`;

interface DueRow {
  readonly stream_id: string;
  readonly erase_at: string;
}

/** Erases the streams whose `eraseAt` has come, the longest overdue first. */
@Injectable()
export class DueErasures {
  private readonly logger = new Logger('Erasures');
  private readonly erasers = new Map<string, Eraser>();

  constructor(
    @Inject(STORE_DRIVER) private readonly driver: SqlDriver,
    private readonly tenants: Tenants = new Tenants(),
  ) {}

  /** How streams of a category are erased. */
  add(category: string, eraser: Eraser): void {
    this.erasers.set(category, eraser);
  }

  /** In one process at a time. @returns how many streams were erased */
  async run(): Promise<number> {
    const session = await this.driver.session();
    try {
      if (!(await takeLock(session, lock))) return 0;
      try {
        return await this.erase();
      } finally {
        if (session.isAlive()) await releaseLock(session, lock);
      }
    } finally {
      await session.close();
    }
  }

  /** Seconds since the first erasure became due that was not carried out; 0 when there is none. */
  async overdue(): Promise<number> {
    const [first] = await this.driver.query<{ seconds: number }>({
      name: 'erasure-overdue',
      text: `select extract(epoch from now() - (state->>'eraseAt')::timestamptz)::float8 as seconds from streams
        where ${isPending} order by ${eraseAt}, stream_id limit 1`,
      values: [],
    });
    return Math.max(0, first?.seconds ?? 0);
  }

  private async erase(): Promise<number> {
    let erased = 0;
    let after: DueRow = { stream_id: '', erase_at: '' };
    for (let pages = 0; pages < mostPages; pages++) {
      const due = await this.due(after);
      await inLanes(due, lanes, async ({ stream_id: streamId }) => {
        if (await this.eraseOne(streamId)) erased++;
      });
      const last = due.at(-1);
      if (last === undefined || due.length < pageSize) break;
      after = last;
    }
    return erased;
  }

  private due(after: DueRow): Promise<DueRow[]> {
    return this.driver.query<DueRow>({
      name: 'erasures-due',
      text: `select stream_id, state->>'eraseAt' as erase_at from streams
        where ${isPending} and ${eraseAt} <= ${now} and (${eraseAt}, stream_id) > ($1::text, $2::text)
        order by ${eraseAt}, stream_id limit ${pageSize}`,
      values: [after.erase_at, after.stream_id],
    });
  }

  /** One that fails does not keep the others from being erased; the next run tries it again. */
  private async eraseOne(streamId: string): Promise<boolean> {
    const category = aggregateOf(streamId);
    const eraser = this.erasers.get(category);
    if (!eraser) return false;
    try {
      await this.tenants.as(markOf(streamId), () => eraser(idOf(streamId)));
      return true;
    } catch (error) {
      this.logger.warn({ event: 'erasure.failed', category, reason: error instanceof Error ? error.name : 'unknown' });
      return false;
    }
  }
}
