import { Logger } from '@nestjs/common';
import { setImmediate } from 'node:timers/promises';
import {
  type CheckpointReader,
  type CheckpointSigner,
  type CoveredEvent,
  coveredColumns,
  lineOf,
  nextCheckpoint,
  parseCheckpoint,
  sha256,
} from './checkpoint';
import { checkpointsPosition, checkpointStart, type TakenCheckpoint } from './checkpoint-start';
import { CheckpointAlteredError } from '../errors';
import { lagBehind } from '../subscriptions/event-log';
import { SqlError, type SqlDriver } from '../database/sql-driver';
import { type CommitPosition, keepPosition } from '../subscriptions/subscription-position';

const pageSize = 1_000;
/** Events that are read for one checkpoint at most. */
const largest = 10_000;

/** What was read for a checkpoint. */
interface Fresh {
  /** Of events that no other covers, by position. */
  readonly lines: Map<number, string>;
  unproven: number;
  read: number;
  reached: CommitPosition | undefined;
}

/** Signs what has been stored since the last checkpoint. Several processes may do so at once: one of them succeeds. */
export class CheckpointTaker {
  private readonly logger = new Logger('Checkpoints');

  constructor(
    private readonly driver: SqlDriver,
    private readonly keys: CheckpointSigner & CheckpointReader,
  ) {}

  /**
   * Takes as many checkpoints as the new events need, none when there are none. Throws `CheckpointAlteredError`.
   * @param pause milliseconds that have to have passed since the last one, by the database's clock
   * @param goOn asked between two checkpoints whether there is time for another
   */
  async take(pause = 0, goOn: () => boolean = () => true): Promise<void> {
    let passed: CommitPosition | undefined;
    for (let isFirst = true; goOn(); isFirst = false) {
      const { now, last, isForeign, after, ahead } = await checkpointStart(this.driver, this.keys);
      if (isForeign) throw new CheckpointAlteredError();
      if (isFirst && last && now.getTime() - Date.parse(last.content.takenAt) < pause) return;
      if (isFirst && ahead) this.logger.error({ event: 'checkpoint.position-ahead', checkpoint: last?.content.number });
      const { lines, unproven, read, reached } = await this.fresh(passed ?? after);
      if (reached === undefined) return;
      if (lines.size === 0) {
        await keepPosition(this.driver, checkpointsPosition, reached);
        passed = reached;
      } else {
        const content = nextCheckpoint(lines, { takenAt: now, unproven, reached, ahead }, last);
        if (!(await this.store({ content, signed: this.keys.sign(content) }, lines, reached))) return;
        passed = undefined;
      }
      if (read < largest) return;
    }
  }

  /** Seconds since the oldest event was stored that no checkpoint covers; 0 when there is none. */
  async lag(): Promise<number> {
    const { after } = await checkpointStart(this.driver, this.keys);
    return lagBehind(this.driver, after);
  }

  /** Events below every running transaction, where nothing can appear any more, as for subscriptions. */
  private async fresh(from: CommitPosition): Promise<Fresh> {
    const fresh: Fresh = { lines: new Map(), unproven: 0, read: 0, reached: undefined };
    while (fresh.read < largest) {
      const after = fresh.reached ?? from;
      const page = await this.driver.query<CoveredEvent>({
        name: 'checkpoint-events',
        text: `select ${coveredColumns} from events
          where (tx, position) > ($1::text::xid8, $2::text::bigint) and tx < pg_snapshot_xmin(pg_current_snapshot())
          order by events.tx, events.position limit ${pageSize}`,
        values: [after.tx, after.position],
      });
      const last = page.at(-1);
      if (last === undefined) break;
      const isNew = await this.uncovered(page);
      for (const event of page.filter(isNew)) {
        fresh.lines.set(event.position, lineOf(event));
        if (event.proof === null) fresh.unproven++;
      }
      fresh.read += page.length;
      fresh.reached = { tx: last.tx, position: String(last.position) };
      if (page.length < pageSize) break;
      await setImmediate();
    }
    return fresh;
  }

  /** After a restore the events behind the first that is new are read again: some of them are covered. */
  private async uncovered(events: readonly CoveredEvent[]): Promise<(event: CoveredEvent) => boolean> {
    const rows = await this.driver.query<{ signed: string }>({
      name: 'checkpoints-in-reach',
      text: 'select signed from checkpoints where highest >= $1::text::bigint and lowest <= $2::text::bigint',
      values: reachOf(events.map(({ position }) => position)),
    });
    const runs = rows.flatMap(({ signed }) => parseCheckpoint(this.keys.read(signed))?.runs ?? []);
    return ({ position }) => !runs.some(({ first, last }) => position >= first && position <= last);
  }

  /** @returns false when another process was faster */
  private async store(
    { content, signed }: TakenCheckpoint,
    lines: ReadonlyMap<number, string>,
    reached: CommitPosition,
  ): Promise<boolean> {
    try {
      await this.driver.query({
        name: 'checkpoint-store',
        text: `with taken as (
            insert into checkpoints (number, lowest, highest, signed)
            values ($1::text::bigint, $2::text::bigint, $3::text::bigint, $4))
          insert into subscriptions (name, tx, position) values ('${checkpointsPosition}', $5::text::xid8, $6::text::bigint)
          on conflict (name) do update set tx = excluded.tx, position = excluded.position`,
        values: [String(content.number), ...reachOf([...lines.keys()]), signed, reached.tx, reached.position],
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

/** The lowest and the highest. */
function reachOf(positions: readonly number[]): [string, string] {
  const [first = 0] = positions;
  const lowest = positions.reduce((one, other) => Math.min(one, other), first);
  return [String(lowest), String(positions.reduce((one, other) => Math.max(one, other), first))];
}
