import { type CommitPosition, type EventLog, isBehind, type PlacedEvent, type TenantArrival } from '@app/event-store';
import { currentMark, currentTenant } from '@app/primitives/context';
import { Problem } from '@app/primitives/problems';

/** Where to begin. */
export type ReplayFrom = { readonly from: Date } | { readonly fromEvent: string };

/** Milliseconds by which events may be stored in another order than their times. */
const disorder = 30_000;

/**
 * The position in front of the first event to send again.
 * @param arrivalsSince of the store, in their order
 * @param earliest the time to which events are kept for it
 * @throws Problem `event-not-found` or `replay-not-possible`
 */
export async function startOf(
  log: EventLog,
  arrivalsSince: (time: Date) => Promise<readonly TenantArrival[]>,
  start: ReplayFrom,
  earliest: Date,
): Promise<CommitPosition> {
  if ('from' in start) {
    assertKept(start.from, earliest);
    const time = start.from.getTime() - disorder;
    const arrivals = await arrivalsSince(new Date(time));
    const here = await firstSince(log, arrivals, time);
    const mark = currentTenant()?.mark;
    // What a tenant has had elsewhere comes in its order, and between what it had here before and since.
    for (const { tx } of arrivals.filter(({ tenant }) => tenant === mark)) {
      const brought = await firstOfArrival(log, tx, time);
      // Where all of it is to be sent, there may be more in front of it.
      if (brought) return brought.position === '0' && isBehind(here, brought) ? here : brought;
    }
    return here;
  }
  const found = await log.find(start.fromEvent);
  const before = found?.tenant === currentMark() ? inFrontOf(found) : undefined;
  const recordedAt = before && (await firstBehind(log, before))?.stored.recordedAt;
  if (!recordedAt) throw new Problem('event-not-found', `There is no event with the id ${start.fromEvent}.`);
  assertKept(recordedAt, earliest);
  return before;
}

function assertKept(from: Date, earliest: Date): void {
  if (from.getTime() >= earliest.getTime()) return;
  const detail = `Events before ${earliest.toISOString()} cannot be sent again; the replay would begin at ${from.toISOString()}.`;
  throw new Problem('replay-not-possible', detail);
}

/** In front of the first transaction whose events were stored at this time or later, but for those that brought older ones. */
async function firstSince(log: EventLog, arrivals: readonly TenantArrival[], time: number): Promise<CommitPosition> {
  const brought = new Set(arrivals.map(({ tx }) => tx));
  const firstFrom = async (tx: bigint): Promise<PlacedEvent | undefined> => {
    const event = await firstBehind(log, { tx: String(tx), position: '0' });
    return event && brought.has(event.at.tx) ? firstFrom(BigInt(event.at.tx) + 1n) : event;
  };
  const end = BigInt((await log.end()).tx) + 1n;
  const first = await lowest(end, async (tx) => {
    const event = await firstFrom(tx);
    return !event || event.stored.recordedAt.getTime() >= time;
  });
  return { tx: (await firstFrom(first))?.at.tx ?? String(end), position: '0' };
}

/** In front of the first event stored at this time or later among those that one transaction brought; `undefined` when it brought none. */
async function firstOfArrival(log: EventLog, tx: string, time: number): Promise<CommitPosition | undefined> {
  const { position } = await log.end();
  const first = await lowest(BigInt(position) + 1n, async (position) => {
    const event = await firstBehind(log, { tx, position: String(position) });
    return event?.at.tx !== tx || event.stored.recordedAt.getTime() >= time;
  });
  const found = { tx, position: String(first) };
  return (await firstBehind(log, found))?.at.tx === tx ? found : undefined;
}

/** The lowest number for which it holds, as it does for all higher ones: found in some thirty steps. */
async function lowest(limit: bigint, holds: (value: bigint) => Promise<boolean>): Promise<bigint> {
  let [low, high] = [0n, limit];
  while (low < high) {
    const middle = (low + high) / 2n;
    if (await holds(middle)) high = middle;
    else low = middle + 1n;
  }
  return low;
}

async function firstBehind(log: EventLog, position: CommitPosition): Promise<PlacedEvent | undefined> {
  const { events } = await log.read(position, { limit: 1 });
  return events[0];
}

function inFrontOf({ tx, position }: CommitPosition): CommitPosition {
  return { tx, position: String(BigInt(position) - 1n) };
}
