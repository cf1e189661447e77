import type { CommitPosition, EventLog } from '@app/event-store';
import { Problem } from '@app/primitives/problems';

/** Where to begin. */
export type ReplayFrom = { readonly from: Date } | { readonly fromEvent: string };

/** Milliseconds by which events may be stored in another order than their times. */
const disorder = 30_000;

/**
 * The position in front of the first event to send again.
 * @param earliest the time to which events are kept for it
 * @throws Problem `event-not-found` or `replay-not-possible`
 */
export async function startOf(log: EventLog, start: ReplayFrom, earliest: Date): Promise<CommitPosition> {
  if ('from' in start) {
    assertKept(start.from, earliest);
    return firstSince(log, new Date(start.from.getTime() - disorder));
  }
  const found = await log.find(start.fromEvent);
  const before = found && inFrontOf(found);
  const recordedAt = before && (await timeBehind(log, before));
  if (!recordedAt) throw new Problem('event-not-found', `There is no event with the id ${start.fromEvent}.`);
  assertKept(recordedAt, earliest);
  return before;
}

function assertKept(from: Date, earliest: Date): void {
  if (from.getTime() >= earliest.getTime()) return;
  const detail = `Events before ${earliest.toISOString()} cannot be sent again; the replay would begin at ${from.toISOString()}.`;
  throw new Problem('replay-not-possible', detail);
}

/** In front of the first transaction whose events were stored at this time or later: found in some thirty steps. */
async function firstSince(log: EventLog, time: Date): Promise<CommitPosition> {
  let low = 0n;
  let high = BigInt((await log.end()).tx) + 1n;
  while (low < high) {
    const middle = (low + high) / 2n;
    const recordedAt = await timeBehind(log, { tx: String(middle), position: '0' });
    if (recordedAt === undefined || recordedAt.getTime() >= time.getTime()) high = middle;
    else low = middle + 1n;
  }
  return { tx: String(low), position: '0' };
}

async function timeBehind(log: EventLog, position: CommitPosition): Promise<Date | undefined> {
  const { events } = await log.read(position, { limit: 1 });
  return events[0]?.stored.recordedAt;
}

function inFrontOf({ tx, position }: CommitPosition): CommitPosition {
  return { tx, position: String(BigInt(position) - 1n) };
}
