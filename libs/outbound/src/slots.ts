import { performance } from 'node:perf_hooks';
import { OutboundError } from './outbound-error';
import type { SlotLimits } from './purposes';

/** A request for a document that has its slot for so long makes room when another one waits: whoever answers, answers sooner. */
const patienceMs = 1_000;
/** How long a request waits for a slot; what is left of its time goes to the other server. */
export const longestWaitMs = 3_000;
/** Further ones are refused at once. */
const mostWaiting = 500;

interface Claim {
  readonly requester: string;
  readonly host: string;
}

interface Waiting extends Claim {
  readonly start: (slot: Slot) => void;
}

/** The right to have one request under way. */
export interface Slot {
  /** Aborts when the slot is needed for somebody else. */
  readonly signal: AbortSignal;
  release(): void;
}

interface Running extends Claim {
  readonly since: number;
  readonly makeRoom: () => void;
}

/**
 * Who may have a request of one purpose under way. A requester and a host have a share each, so that none of them can take
 * all slots; when all are taken, the one that has run longest makes room, unless it is an act that cannot be taken back. The next is of the requester with the fewest, and
 * among these the newest: in a flood the older ones would be given up soon anyway.
 */
export class Slots {
  private readonly running = new Set<Running>();
  private readonly waiting = new Set<Waiting>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly limits: SlotLimits,
    private readonly perHost: number,
  ) {}

  /** Rejects with the `OutboundError` `busy` when there is no slot in time. @param waitMs at most */
  take(requester: string, host: string, waitMs: number): Promise<Slot> {
    return new Promise((resolve, reject) => {
      if (this.waiting.size >= mostWaiting) {
        reject(busy());
        return;
      }
      const giveUp = setTimeout(
        () => {
          this.waiting.delete(waiting);
          reject(busy());
        },
        Math.min(waitMs, longestWaitMs),
      );
      const start = (slot: Slot): void => {
        clearTimeout(giveUp);
        this.waiting.delete(waiting);
        resolve(slot);
      };
      const waiting = { requester, host, start };
      this.waiting.add(waiting);
      this.fill();
    });
  }

  /** Starts whoever may start now, and looks again when the oldest one under way has had its time. */
  private fill(): void {
    clearTimeout(this.timer);
    for (let next = this.next(); next; next = this.next()) {
      if (this.running.size >= this.limits.slots && !this.makeRoom()) return;
      this.begin(next);
    }
  }

  private next(): Waiting | undefined {
    const byRequester = countsOf(this.running, ({ requester }) => requester);
    const byHost = countsOf(this.running, ({ host }) => host);
    let best: Waiting | undefined;
    let fewest = Infinity;
    for (const each of this.waiting) {
      const own = byRequester.get(each.requester) ?? 0;
      if (own >= this.limits.perRequester || (byHost.get(each.host) ?? 0) >= this.perHost) continue;
      // Later ones of the same count come later in the set and replace the earlier.
      if (own > fewest) continue;
      [best, fewest] = [each, own];
    }
    return best;
  }

  /** Whether the oldest one has given up its slot; if not yet, it will be asked again. */
  private makeRoom(): boolean {
    if (!this.limits.isDocument) return false;
    const [oldest] = this.running;
    if (!oldest) return true;
    const left = oldest.since + patienceMs - performance.now();
    if (left > 0) {
      this.timer = setTimeout(() => {
        this.fill();
      }, left);
      return false;
    }
    oldest.makeRoom();
    return true;
  }

  private begin({ requester, host, start }: Waiting): void {
    const controller = new AbortController();
    const makeRoom = (): void => {
      this.running.delete(running);
      controller.abort(busy());
    };
    const running: Running = { requester, host, since: performance.now(), makeRoom };
    this.running.add(running);
    start({
      signal: controller.signal,
      release: () => {
        if (this.running.delete(running)) this.fill();
      },
    });
  }
}

function countsOf(claims: Iterable<Claim>, nameOf: (claim: Claim) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const claim of claims) counts.set(nameOf(claim), (counts.get(nameOf(claim)) ?? 0) + 1);
  return counts;
}

function busy(): OutboundError {
  return new OutboundError('busy', 'too many requests are under way');
}
