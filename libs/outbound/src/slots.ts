import { AsyncResource } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import { OutboundError } from './outbound-error';
import type { SlotLimits } from './purposes';

/** A request for a document that has its slot for so long makes room when another one waits: servers that answer do so sooner. */
const patienceMs = 1_000;
/** How long a request waits for a slot; what is left of its time goes to the other server. */
const longestWaitMs = 3_000;
/** When more wait, the oldest of the requester with the most of them is refused. */
const mostWaiting = 500;

/** A request that wants a slot. */
export interface Claim<Answer> {
  readonly requester: string;
  readonly host: string;
  /** The same for requests with the same answer. */
  readonly document: string;
  /** Sends the request. @param signal aborts when another caller needs the slot */
  readonly send: (signal: AbortSignal) => Sent<Answer>;
}

export interface Sent<Answer> {
  readonly answer: Promise<Answer>;
  /** Whether it has all the time that a request may have, so that others can rely on it. */
  readonly hasFullTime: boolean;
}

interface Waiting<Answer> extends Claim<Answer> {
  readonly settle: (answer: Promise<Answer>) => void;
  readonly refuse: () => void;
}

interface Running<Answer> extends Claim<Answer> {
  readonly since: number;
  /** Undefined when it is not shared. */
  readonly shared: Promise<Answer> | undefined;
  readonly makeRoom: () => void;
}

/**
 * Who may have a request of one purpose under way. A requester and a host have a share each, so that none of them can take
 * all slots; when all are taken, the one that has run longest makes room, unless it is an act that cannot be taken back.
 * The next is of the requester with the fewest, and among these the newest: in a flood the older ones would be given up
 * soon anyway.
 */
export class Slots<Answer> {
  private readonly running = new Set<Running<Answer>>();
  private readonly waiting = new Set<Waiting<Answer>>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly limits: SlotLimits,
    private readonly perHost: number,
  ) {}

  /**
   * The answer to the request, sent once there is a slot for it, or to another one for the same document. Only one that has
   * its slot is shared: no caller waits for the turn of another. Rejects with the `OutboundError` `busy` when there is no
   * slot in time, or when another caller needed the slot.
   * @param waitMs at most
   */
  request(claim: Claim<Answer>, waitMs: number): Promise<Answer> {
    for (const { document, shared } of this.running) if (shared && document === claim.document) return shared;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(giveUp);
        this.waiting.delete(waiting);
      };
      const settle = (answer: Promise<Answer>): void => {
        leave();
        resolve(answer);
      };
      const refuse = (): void => {
        leave();
        reject(busy());
      };
      const giveUp = setTimeout(refuse, Math.min(waitMs, longestWaitMs));
      // Another one that ends sends it, but with its own deadline and trace.
      const waiting = { ...claim, send: AsyncResource.bind(claim.send), settle, refuse };
      this.waiting.add(waiting);
      this.fill();
      if (this.waiting.size > mostWaiting) this.refuseOne();
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

  private next(): Waiting<Answer> | undefined {
    const byRequester = countsOf([...this.running].map(({ requester }) => requester));
    const byHost = countsOf([...this.running].map(({ host }) => host));
    let best: Waiting<Answer> | undefined;
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

  private begin(claim: Waiting<Answer>): void {
    const controller = new AbortController();
    const { answer, hasFullTime } = claim.send(controller.signal);
    const shared = this.limits.isDocument && hasFullTime ? answer : undefined;
    const makeRoom = (): void => {
      this.running.delete(running);
      controller.abort(busy());
    };
    const running: Running<Answer> = { ...claim, since: performance.now(), shared, makeRoom };
    this.running.add(running);
    const end = (): void => {
      if (this.running.delete(running)) this.fill();
    };
    answer.then(end, end);
    claim.settle(answer);
    if (!shared) return;
    for (const each of this.waiting) if (each.document === claim.document) each.settle(shared);
  }

  /** Refuses the oldest of the requester with the most: these wait for one another anyway. */
  private refuseOne(): void {
    const byRequester = countsOf([...this.waiting].map(({ requester }) => requester));
    const most = Math.max(...byRequester.values());
    for (const each of this.waiting) {
      if (byRequester.get(each.requester) !== most) continue;
      each.refuse();
      return;
    }
  }
}

function countsOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function busy(): OutboundError {
  return new OutboundError('busy', 'too many requests are under way');
}
