import { Logger } from '@nestjs/common';
import { setImmediate } from 'node:timers/promises';
import {
  type CheckpointContent,
  type CheckpointReader,
  type CheckpointSigner,
  type CoveredEvent,
  coveredColumns,
  nextCheckpoint,
  parseCheckpoint,
  sha256,
} from './checkpoint';
import { SqlError, type SqlDriver } from './sql-driver';
import { type CommitPosition, keepPosition, readPosition } from './subscription-position';

/** The row of `subscriptions` that says how far events have been read for checkpoints. */
export const checkpointsPosition = 'checkpoints';
const pageSize = 1_000;
/** Events of one checkpoint at most. */
const largest = 10_000;

interface Taken {
  readonly content: CheckpointContent;
  readonly signed: string;
}

/** Signs what has been stored since the last checkpoint. Several processes may do so at once: one of them succeeds. */
export class CheckpointTaker {
  private readonly logger = new Logger('Checkpoints');

  constructor(
    private readonly driver: SqlDriver,
    private readonly keys: CheckpointSigner & CheckpointReader,
  ) {}

  /**
   * Takes as many checkpoints as the new events need, none when there are none.
   * @param pause milliseconds that have to have passed since the last one, by the database's clock
   * @param goOn asked between two checkpoints whether there is time for another
   */
  async take(pause = 0, goOn: () => boolean = () => true): Promise<void> {
    const [clock] = await this.driver.query<{ now: Date }>({ name: 'now', text: 'select now() as now', values: [] });
    const now = clock?.now ?? new Date();
    let before = await this.last();
    if (before && now.getTime() - Date.parse(before.content.takenAt) < pause) return;
    while (goOn()) {
      const { events, reached } = await this.fresh();
      if (reached === undefined) return;
      const isNew = await this.uncovered(events);
      const fresh = events.filter(isNew);
      if (fresh.length === 0) await keepPosition(this.driver, checkpointsPosition, positionOf(reached));
      else {
        const content = nextCheckpoint(fresh, now, before);
        before = { content, signed: this.keys.sign(content) };
        if (!(await this.store(before, fresh, reached))) return;
      }
      if (events.length < largest) return;
    }
  }

  /** Events below every running transaction, where nothing can appear any more, as for subscriptions. */
  private async fresh(): Promise<{ events: CoveredEvent[]; reached: CoveredEvent | undefined }> {
    let after: CommitPosition = await readPosition(this.driver, checkpointsPosition);
    const events: CoveredEvent[] = [];
    while (events.length < largest) {
      const page = await this.driver.query<CoveredEvent>({
        name: 'checkpoint-events',
        text: `select ${coveredColumns} from events
          where (tx, position) > ($1::text::xid8, $2::text::bigint) and tx < pg_snapshot_xmin(pg_current_snapshot())
          order by events.tx, events.position limit ${pageSize}`,
        values: [after.tx, after.position],
      });
      events.push(...page);
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize) break;
      after = positionOf(last);
      await setImmediate();
    }
    return { events, reached: events.at(-1) };
  }

  private async last(): Promise<Taken | undefined> {
    const last = await lastCheckpoint(this.driver);
    if (last === undefined) return undefined;
    const parsed = parseCheckpoint(this.keys.read(last));
    if (!parsed) throw new Error('The last checkpoint is none of this service: see "sealwright verify-store".');
    return { content: parsed.content, signed: last };
  }

  /** After a restore the events behind the first that is new are read again: some of them are covered. */
  private async uncovered(events: readonly CoveredEvent[]): Promise<(event: CoveredEvent) => boolean> {
    const positions = events.map(({ position }) => position);
    const rows = await this.driver.query<{ signed: string }>({
      name: 'checkpoints-in-reach',
      text: 'select signed from checkpoints where highest >= $1::text::bigint and lowest <= $2::text::bigint',
      values: [String(positions.reduce(lower)), String(positions.reduce(higher))],
    });
    const runs = rows.flatMap(({ signed }) => parseCheckpoint(this.keys.read(signed))?.runs ?? []);
    return ({ position }) => !runs.some(({ first, last }) => position >= first && position <= last);
  }

  /** @returns false when another process was faster */
  private async store(
    { content, signed }: Taken,
    events: readonly CoveredEvent[],
    reached: CoveredEvent,
  ): Promise<boolean> {
    const positions = events.map(({ position }) => position);
    try {
      await this.driver.query({
        name: 'checkpoint-store',
        text: `with taken as (
            insert into checkpoints (number, lowest, highest, signed)
            values ($1::integer, $2::text::bigint, $3::text::bigint, $4))
          insert into subscriptions (name, tx, position) values ('${checkpointsPosition}', $5::text::xid8, $6::text::bigint)
          on conflict (name) do update set tx = excluded.tx, position = excluded.position`,
        values: [
          content.number,
          String(positions.reduce(lower)),
          String(positions.reduce(higher)),
          signed,
          reached.tx,
          String(reached.position),
        ],
      });
    } catch (error) {
      if (error instanceof SqlError && error.code === '23505') return false;
      throw error;
    }
    const { number: checkpoint, events: count } = content;
    this.logger.log({ event: 'checkpoint.taken', checkpoint, events: count, digest: sha256(signed) });
    return true;
  }
}

/** The last checkpoint as it was signed. */
export async function lastCheckpoint(driver: Pick<SqlDriver, 'query'>): Promise<string | undefined> {
  const [last] = await driver.query<{ signed: string }>({
    name: 'checkpoint-last',
    text: 'select signed from checkpoints order by number desc limit 1',
    values: [],
  });
  return last?.signed;
}

const lower = (one: number, other: number): number => Math.min(one, other);
const higher = (one: number, other: number): number => Math.max(one, other);

function positionOf({ tx, position }: CoveredEvent): CommitPosition {
  return { tx, position: String(position) };
}
