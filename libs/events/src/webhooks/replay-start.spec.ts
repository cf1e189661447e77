import { type EventLog, isBehind, type PlacedEvent, type TenantArrival } from '@app/event-store';
import { inTenant, type Tenant } from '@app/primitives/context';
import { startOf } from './replay-start';

const minute = 60_000;
const midnight = Date.UTC(2026, 0, 1);

interface Stored {
  readonly tenant: string;
  readonly tx: number;
  readonly position: number;
  readonly minutes: number;
}

interface Arrival extends TenantArrival {
  readonly arrivedAt: number;
}

const since = (arrivals: readonly Arrival[]) => (time: Date) =>
  Promise.resolve(arrivals.filter(({ arrivedAt }) => arrivedAt >= time.getTime()));

function logOf(events: readonly Stored[]): EventLog {
  const placed = events.map(({ tenant, tx, position, minutes }) => ({
    at: { tx: String(tx), position: String(position) },
    stored: { tenant, recordedAt: new Date(midnight + minutes * minute) },
  })) as unknown as PlacedEvent[];
  const log: Partial<EventLog> = {
    read: (after) => {
      const next = placed.filter(({ at }) => isBehind(after, at));
      return Promise.resolve({ events: next.slice(0, 1), reached: after, isFull: true });
    },
    end: () => Promise.resolve(placed.at(-1)?.at ?? { tx: '0', position: '0' }),
  };
  return log as EventLog;
}

/** The minutes of what is sent again to a tenant when a replay begins there. */
async function sent(
  events: readonly Stored[],
  arrivals: readonly Arrival[],
  mark: string,
  from: number,
): Promise<number[]> {
  const tenant: Tenant | undefined = mark === '' ? undefined : { id: mark, mark, made: new Map() };
  const start = { from: new Date(midnight + from * minute) };
  const after = await inTenant(tenant, () => startOf(logOf(events), since(arrivals), start, new Date(0)));
  const isSent = ({ tenant, tx, position }: Stored): boolean =>
    tenant === mark && isBehind(after, { tx: String(tx), position: String(position) });
  return events.filter(isSent).map(({ minutes }) => minutes);
}

/** Where each minute brings an event of the service and one of `moved`, which is elsewhere from minute 20 to 40 and from 60 to 80. */
function history(): { events: Stored[]; arrivals: Arrival[] } {
  const events: Stored[] = [];
  const arrivals: Arrival[] = [];
  let position = 100;
  let away: number[] = [];
  for (let minutes = 1; minutes <= 100; minutes++) {
    const isAway = (minutes >= 20 && minutes < 40) || (minutes >= 60 && minutes < 80);
    const tx = 1_000 + minutes * 10;
    if (!isAway && away.length > 0) {
      for (const one of away) events.push({ tenant: 'moved', tx: tx - 5, position: position++, minutes: one });
      arrivals.push({ tx: String(tx - 5), tenant: 'moved', arrivedAt: midnight + minutes * minute });
      away = [];
    }
    events.push({ tenant: '', tx, position: position++, minutes });
    if (isAway) away.push(minutes);
    else events.push({ tenant: 'moved', tx, position: position++, minutes });
  }
  return { events, arrivals };
}

describe('a replay from a time', () => {
  const { events, arrivals } = history();
  const all = Array.from({ length: 100 }, (_, index) => index + 1);

  it.each(['', 'moved'])(
    'sends all since then and nothing before to "%s", whatever came from another store',
    async (mark) => {
      for (const from of [0, 1, 10, 19, 20, 30, 39, 40, 41, 55, 60, 70, 79, 80, 95, 100, 101]) {
        const since = all.filter((minutes) => minutes >= from);
        expect({ from, sent: await sent(events, arrivals, mark, from) }).toEqual({ from, sent: since });
        const own = events.filter(({ tenant }) => tenant === mark);
        expect({ from, sent: await sent(own, arrivals, mark, from) }).toEqual({ from, sent: since });
      }
    },
  );
});
