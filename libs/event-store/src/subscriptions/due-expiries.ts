import { inLanes } from '@app/primitives/awaitable';
import { Tenants } from '@app/primitives/context';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { releaseLock, takeLock } from '../database/advisory-lock';
import type { StreamListQuery, Page } from '../streams/aggregate';
import { type SqlDriver, STORE_DRIVER } from '../database/sql-driver';
import { isHere } from '../database/moved-tenants';
import { aggregateOf, idOf, markOf } from '../streams/stored-event';

/** One kind of streams that expire. */
export interface Expiring {
  /** One of the categories of the index `tenant_streams_to_expire`. */
  readonly category: string;
  /** Those whose time has come and whose expiry is not recorded. */
  list(page: Pick<StreamListQuery, 'limit' | 'cursor'>): Promise<Page<unknown>>;
  /** Of the tenant at hand. Must do nothing when that has changed meanwhile. */
  record(id: string): Promise<void>;
}

const pageSize = 200;
/** Streams at the same time; their units of work share statements. */
const lanes = 10;
/** Of one run and kind; the rest waits for the next. */
const mostPages = 10;
const lock = 'due expiries';

/** Column and predicate of the index `tenant_streams_to_expire`: of all tenants, however many there are. */
const expiresAt = `((state->>'expiresAt') collate "C")`;
const isUnrecorded = `(category like 'offer~%' or category like 'authorization_request~%' or category like 'approval~%')
  and state->>'status' in ('open', 'online', 'offline', 'pending', 'retrieved', 'rejected', 'withheld')`;
/** The clock of the database in the form of `Date.toISOString`. */
const now = `to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

interface DueRow {
  readonly stream_id: string;
  readonly expires_at: string;
}

const first: DueRow = { stream_id: '', expires_at: '' };

/** Records the expiry of streams, for those who follow their events: to the service itself, the clock says it already. */
@Injectable()
export class DueExpiries {
  private readonly logger = new Logger('Expiries');
  private readonly kinds: Expiring[] = [];

  constructor(
    @Inject(STORE_DRIVER) private readonly driver: SqlDriver,
    private readonly tenants: Tenants = new Tenants(),
  ) {}

  add(kind: Expiring): void {
    this.kinds.push(kind);
  }

  /** In one process at a time. */
  async run(): Promise<void> {
    if (!(await this.isAnyDue())) return;
    const session = await this.driver.session();
    try {
      if (!(await takeLock(session, lock))) return;
      try {
        for (const kind of this.kinds) await this.recordAll(kind);
        await this.recordOfTenants();
      } finally {
        if (session.isAlive()) await releaseLock(session, lock);
      }
    } finally {
      await session.close();
    }
  }

  private async isAnyDue(): Promise<boolean> {
    for (const kind of this.kinds) if ((await kind.list({ limit: 1 })).items.length > 0) return true;
    return (await this.dueOfTenants(first, 1)).length > 0;
  }

  private async recordOfTenants(): Promise<void> {
    let after = first;
    for (let pages = 0; pages < mostPages; pages++) {
      const due = await this.dueOfTenants(after, pageSize);
      await inLanes(due, lanes, ({ stream_id: streamId }) => this.recordOfTenant(streamId));
      const last = due.at(-1);
      if (last === undefined || due.length < pageSize) return;
      after = last;
    }
  }

  private recordOfTenant(streamId: string): Promise<void> {
    const kind = this.kinds.find(({ category }) => category === aggregateOf(streamId));
    return kind === undefined
      ? Promise.resolve()
      : this.tried(() => this.tenants.as(markOf(streamId), () => kind.record(idOf(streamId))));
  }

  private dueOfTenants(after: DueRow, limit: number): Promise<DueRow[]> {
    return this.driver.query<DueRow>({
      name: 'tenant-expiries-due',
      text: `select stream_id, state->>'expiresAt' as expires_at from streams
        where ${isUnrecorded} and ${isHere} and ${expiresAt} <= ${now} and (${expiresAt}, stream_id) > ($1::text, $2::text)
        order by ${expiresAt}, stream_id limit $3::integer`,
      values: [after.expires_at, after.stream_id, limit],
    });
  }

  private async recordAll(kind: Expiring): Promise<void> {
    let cursor: string | undefined;
    for (let pages = 0; pages < mostPages; pages++) {
      const { items, nextCursor } = await kind.list({ limit: pageSize, ...(cursor !== undefined && { cursor }) });
      await inLanes(items, lanes, ({ id }) => this.tried(() => kind.record(id)));
      if (nextCursor === null) return;
      cursor = nextCursor;
    }
  }

  /** One that fails does not keep the others from being recorded; the next run tries it again. */
  private async tried(record: () => Promise<void>): Promise<void> {
    try {
      await record();
    } catch (error) {
      this.logger.warn({ event: 'expiry.not-recorded', reason: error instanceof Error ? error.name : 'unknown' });
    }
  }
}
