import {
  type CheckpointReader,
  type CoveredEvent,
  coveredColumns,
  digestOf,
  lineOf,
  parseCheckpoint,
  sha256,
} from '../proofs/checkpoint';
import { checkpointStart } from '../proofs/checkpoint-start';
import { type Watch } from '../passes/verification-finding';
import { addPosition, Coverage, renderRuns, type Run } from '../subscriptions/positions';
import type { SqlExecutor } from '../database/sql-driver';
import { type CommitPosition, firstPosition } from '../subscriptions/subscription-position';
import type { StreamsSince } from './streams-since';
import { UncoveredEvents } from './uncovered-events';

export interface VerifiedCheckpoints {
  readonly checkpoints: number;
  /** Events that no checkpoint covers yet. */
  readonly uncovered: number;
}

const why = 'a checkpoint was removed, or the position was changed';
const checkpointPage = 200;
const eventPage = 1_000;

interface CheckpointOptions {
  readonly keys: CheckpointReader;
  /** Checkpoints that were kept elsewhere. */
  readonly kept: readonly string[];
  readonly since: StreamsSince | undefined;
}

/**
 * Checks the checkpoints, each signed and with the digest of the one before it, and the events against them: in the order
 * in which they came, as those that are gone leave nothing else behind.
 */
export async function verifyCheckpoints(
  executor: SqlExecutor,
  { keys, kept, since }: CheckpointOptions,
  watch: Watch,
): Promise<VerifiedCheckpoints> {
  const { ahead } = await checkpointStart(executor, keys);
  if (ahead)
    watch.finding({
      subject: 'the position of checkpoints in subscriptions',
      fault: `is ahead of the last one: ${why}`,
    });
  const newest = await newestEvent(executor);
  const chain = await readChain(executor, { keys, kept }, watch);
  const uncovered = new UncoveredEvents(watch, newest);
  await compareEvents(executor, { ...chain, uncovered, since }, watch);
  uncovered.end();
  for (const open of chain.open) openFault(open, watch);
  return { checkpoints: chain.open.length, uncovered: uncovered.count };
}

/** When the newest event was stored. */
async function newestEvent(executor: SqlExecutor): Promise<Date | undefined> {
  const [newest] = await executor.query<{ recorded_at: Date }>({
    name: 'newest-event',
    text: 'select recorded_at from events order by tx desc, position desc limit 1',
    values: [],
  });
  return newest?.recorded_at;
}

/** What of a checkpoint is needed to compare events with it: a store may have a million. */
interface OpenCheckpoint {
  readonly number: number;
  readonly takenAt: string;
  readonly events: number;
  readonly digest: string;
  readonly runs: readonly Run[];
  /** Lines of the events that it covers, from the first to the last one. */
  lines: Map<number, string> | undefined;
  seen: number;
  isDone: boolean;
}

interface Chain {
  readonly open: OpenCheckpoint[];
  readonly coverage: Coverage<OpenCheckpoint>;
  /** How many events the last checkpoint and all before it cover. */
  readonly total: number | undefined;
}

async function readChain(
  executor: SqlExecutor,
  { keys, kept }: Pick<CheckpointOptions, 'keys' | 'kept'>,
  watch: Watch,
): Promise<Chain> {
  const open: OpenCheckpoint[] = [];
  const compared = kept.flatMap((each) => readKept(each, keys, watch) ?? []);
  const faults = new Map(compared.map((each) => [each, 'is not in the database: what it covers was rolled back']));
  let [next, total] = [1, 0];
  let previous: string | null = null;
  for (let after = 0; ;) {
    const rows: { number: number; signed: string }[] = await executor.query({
      name: 'checkpoints-page',
      text: `select number::float8 as number, signed from checkpoints where number > $1::text::bigint
        order by number limit ${checkpointPage}`,
      values: [String(after)],
    });
    for (const { number, signed } of rows) {
      const report = (fault: string): void => {
        watch.finding({ subject: `checkpoint ${number}`, fault });
      };
      if (number > next) watch.finding({ subject: `checkpoint ${next}`, fault: gone(next, number) });
      const parsed = parseCheckpoint(keys.read(signed));
      const hash = sha256(signed);
      if (parsed?.content.number !== number) report('was changed: it is not what this service signed');
      else {
        const { takenAt, events, digest, ahead } = parsed.content;
        if (number === next && parsed.content.previous !== previous) report('does not follow the one before it');
        if (ahead) report(`was taken when the position in subscriptions was ahead of the one before it: ${why}`);
        open.push({ number, takenAt, events, digest, runs: parsed.runs, lines: undefined, seen: 0, isDone: false });
        for (const each of compared.filter((one) => one.number === number)) {
          if (hash === each.hash) faults.delete(each);
          else faults.set(each, 'differs from the one in the database');
        }
        total = parsed.content.total;
      }
      previous = hash;
      next = number + 1;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < checkpointPage) break;
    after = last.number;
  }
  for (const [{ number, takenAt }, fault] of faults) {
    watch.finding({ subject: `checkpoint ${number} of the file, taken at ${takenAt}`, fault });
  }
  return { open, coverage: new Coverage(open), total: open.length > 0 ? total : undefined };
}

function gone(next: number, found: number): string {
  return found === next + 1 ? 'is missing' : `is missing, like all up to checkpoint ${found - 1}`;
}

interface Kept {
  readonly number: number;
  readonly takenAt: string;
  readonly hash: string;
}

function readKept(kept: string, keys: CheckpointReader, watch: Watch): Kept | undefined {
  const parsed = parseCheckpoint(keys.read(kept.trim()));
  if (parsed) return { ...parsed.content, hash: sha256(kept.trim()) };
  const fault = 'was not signed by a key of this database, or was changed';
  watch.finding({ subject: 'the checkpoint of the file', fault });
  return undefined;
}

async function compareEvents(
  executor: SqlExecutor,
  {
    coverage,
    total,
    uncovered,
    since,
  }: Chain & Pick<CheckpointOptions, 'since'> & { readonly uncovered: UncoveredEvents },
  watch: Watch,
): Promise<void> {
  let done = 0;
  for (let after: CommitPosition = firstPosition; ;) {
    const page: CoveredEvent[] = await executor.query<CoveredEvent>({
      name: 'covered-events',
      text: `select ${coveredColumns} from events where (tx, position) > ($1::text::xid8, $2::text::bigint)
        order by events.tx, events.position limit ${eventPage}`,
      values: [after.tx, after.position],
    });
    for (const event of page) {
      const checkpoint = coverage.of(event.position);
      since?.pass(event, checkpoint?.number);
      if (checkpoint) {
        uncovered.pass(event, checkpoint.number);
        collect(checkpoint, event, watch);
      } else uncovered.add(event);
    }
    done += page.length;
    watch.progress('events and checkpoints', done, total);
    const last = page.at(-1);
    if (last === undefined || page.length < eventPage) return;
    after = { tx: last.tx, position: String(last.position) };
  }
}

function collect(checkpoint: OpenCheckpoint, event: CoveredEvent, watch: Watch): void {
  checkpoint.seen++;
  if (checkpoint.isDone) return;
  checkpoint.lines ??= new Map();
  checkpoint.lines.set(event.position, lineOf(event));
  if (checkpoint.seen !== checkpoint.events) return;
  checkpoint.isDone = true;
  if (digestOf(checkpoint.lines) !== checkpoint.digest) reportOn(checkpoint, watch, 'was taken over other events');
  checkpoint.lines = undefined;
}

/** What all events have not completed, or more than completed. */
function openFault(checkpoint: OpenCheckpoint, watch: Watch): void {
  const { events, seen, isDone, lines, runs } = checkpoint;
  if (seen > events)
    reportOn(checkpoint, watch, `covers ${events} events, and the database has ${seen} in their place`);
  if (isDone) return;
  const missing: Run[] = [];
  let count = 0;
  for (const { first, last } of runs) {
    for (let position = first; position <= last; position++) {
      if (lines?.has(position) === true) continue;
      count++;
      addPosition(missing, position);
    }
  }
  reportOn(
    checkpoint,
    watch,
    `${count} of its ${events} events are gone, which had the positions ${renderRuns(missing)}`,
  );
}

function reportOn({ number, takenAt }: OpenCheckpoint, watch: Watch, fault: string): void {
  watch.finding({ subject: `checkpoint ${number}, taken at ${takenAt}`, fault });
}
