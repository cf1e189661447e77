import {
  type CheckpointContent,
  type CheckpointReader,
  type CoveredEvent,
  coveredColumns,
  digestOf,
  lineOf,
  parseCheckpoint,
  sha256,
} from './checkpoint';
import { type Watch } from './finding';
import { Coverage, renderPositions } from './positions';
import type { SqlExecutor } from './sql-driver';
import type { CommitPosition } from './subscription-position';

export interface VerifiedCheckpoints {
  readonly checkpoints: number;
  /** Events that no checkpoint covers yet. */
  readonly uncovered: number;
  /** Events without a proof: earlier releases write them. */
  readonly unproven: number;
  /** Until when an earlier release may have written; `undefined` before the first checkpoint. */
  readonly grace: Date | undefined;
}

/** Milliseconds after the first checkpoint in which replicas of an earlier release may still write: a rolling upgrade. */
const upgrade = 24 * 60 * 60 * 1000;
const checkpointPage = 200;
const eventPage = 1_000;

/**
 * Checks the checkpoints, each signed and with the digest of the one before it, and the events against them: in the order
 * in which they came, as those that are gone leave nothing else behind.
 * @param kept a checkpoint that was kept elsewhere
 */
export async function verifyCheckpoints(
  executor: SqlExecutor,
  { keys, kept }: { readonly keys: CheckpointReader; readonly kept?: string | undefined },
  watch: Watch,
): Promise<VerifiedCheckpoints> {
  const chain = await readChain(executor, keys, watch);
  if (kept !== undefined) compareKept(kept, keys, { chain, watch });
  const first = chain.open[0]?.content;
  const grace = first && new Date(Date.parse(first.takenAt) + upgrade);
  const counts = await compareEvents(executor, { ...chain, grace }, watch);
  for (const open of chain.open) openFault(open, watch);
  return { checkpoints: chain.open.length, grace, ...counts };
}

interface OpenCheckpoint {
  readonly content: CheckpointContent;
  readonly hash: string;
  readonly runs: readonly { readonly first: number; readonly last: number }[];
  /** Lines of the events that it covers, until all are there. */
  lines: Map<number, string>;
  seen: number;
  isDone: boolean;
}

interface Chain {
  readonly open: OpenCheckpoint[];
  readonly coverage: Coverage<OpenCheckpoint>;
}

async function readChain(executor: SqlExecutor, keys: CheckpointReader, watch: Watch): Promise<Chain> {
  const open: OpenCheckpoint[] = [];
  let next = 1;
  let previous: string | null = null;
  for (let after = 0; ;) {
    const rows: { number: number; signed: string }[] = await executor.query({
      name: 'checkpoints-page',
      text: `select number::float8 as number, signed from checkpoints where number > $1::integer
        order by number limit ${checkpointPage}`,
      values: [after],
    });
    for (const { number, signed } of rows) {
      const tell = (fault: string): void => {
        watch.finding({ subject: `checkpoint ${number}`, fault });
      };
      if (number > next) watch.finding({ subject: `checkpoint ${next}`, fault: gone(next, number) });
      const parsed = parseCheckpoint(keys.read(signed));
      if (parsed?.content.number !== number) tell('was changed: it is not what this service has signed');
      else {
        if (number === next && parsed.content.previous !== previous) tell('does not follow the one before it');
        open.push({ ...parsed, hash: sha256(signed), lines: new Map(), seen: 0, isDone: false });
      }
      previous = sha256(signed);
      next = number + 1;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < checkpointPage) break;
    after = last.number;
  }
  return { open, coverage: new Coverage(open) };
}

function gone(next: number, found: number): string {
  return found === next + 1 ? 'is missing' : `is missing, as all up to checkpoint ${found - 1} are`;
}

function compareKept(kept: string, keys: CheckpointReader, { chain, watch }: { chain: Chain; watch: Watch }): void {
  const parsed = parseCheckpoint(keys.read(kept.trim()));
  if (!parsed) {
    const fault = 'was not signed by a key of this database, or was changed';
    watch.finding({ subject: 'the checkpoint of the file', fault });
    return;
  }
  const { number, takenAt } = parsed.content;
  const stored = chain.open.find(({ content }) => content.number === number);
  if (stored?.hash === sha256(kept.trim())) return;
  const fault = stored ? 'is another one in the database' : 'is not in the database: what it covers was taken back';
  watch.finding({ subject: `checkpoint ${number} of the file, taken at ${takenAt}`, fault });
}

async function compareEvents(
  executor: SqlExecutor,
  { open, coverage, grace }: Chain & { readonly grace: Date | undefined },
  watch: Watch,
): Promise<Pick<VerifiedCheckpoints, 'uncovered' | 'unproven'>> {
  const of = open.at(-1)?.content.total;
  let [done, uncovered, unproven] = [0, 0, 0];
  for (let after: CommitPosition = { tx: '0', position: '0' }; ;) {
    const page: CoveredEvent[] = await executor.query<CoveredEvent>({
      name: 'covered-events',
      text: `select ${coveredColumns} from events where (tx, position) > ($1::text::xid8, $2::text::bigint)
        order by events.tx, events.position limit ${eventPage}`,
      values: [after.tx, after.position],
    });
    for (const event of page) {
      const checkpoint = coverage.of(event.position);
      if (checkpoint) collect(checkpoint, event, watch);
      else uncovered++;
      if (event.proof !== null) continue;
      unproven++;
      const writtenBy = checkpoint ? Date.parse(checkpoint.content.takenAt) : Date.now();
      if (grace === undefined || writtenBy <= grace.getTime()) continue;
      const fault = 'carries no proof: it was added by hand, or by an earlier release a day after the upgrade';
      watch.finding({ subject: `${event.stream_id} version ${event.version}`, fault });
    }
    done += page.length;
    watch.progress('events and checkpoints', done, of);
    const last = page.at(-1);
    if (last === undefined || page.length < eventPage) return { uncovered, unproven };
    after = { tx: last.tx, position: String(last.position) };
  }
}

function collect(checkpoint: OpenCheckpoint, event: CoveredEvent, watch: Watch): void {
  checkpoint.seen++;
  checkpoint.lines.set(event.position, lineOf(event));
  if (checkpoint.seen !== checkpoint.content.events || checkpoint.isDone) return;
  checkpoint.isDone = true;
  const { digest } = checkpoint.content;
  if (digestOf(checkpoint.lines) !== digest) tellOf(checkpoint, watch, 'was taken of other events than these');
  checkpoint.lines = new Map();
}

/** What all events have not completed, or more than completed. */
function openFault(checkpoint: OpenCheckpoint, watch: Watch): void {
  const { content, seen, isDone, lines, runs } = checkpoint;
  if (seen > content.events) {
    tellOf(checkpoint, watch, `covers ${content.events} events, and the database has ${seen} in their place`);
  }
  if (isDone) return;
  const missing: number[] = [];
  for (const { first, last } of runs) {
    for (let position = first; position <= last; position++) if (!lines.has(position)) missing.push(position);
  }
  const count = `${missing.length} of its ${content.events} events are gone`;
  tellOf(checkpoint, watch, `${count}, which had the positions ${renderPositions(missing)}`);
}

function tellOf({ content: { number, takenAt } }: OpenCheckpoint, watch: Watch, fault: string): void {
  watch.finding({ subject: `checkpoint ${number}, taken at ${takenAt}`, fault });
}
