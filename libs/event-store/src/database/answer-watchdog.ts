import { WorkDroppedError } from '../errors';

/** Milliseconds between two checks of what is under way. */
const interval = 250;
/** Milliseconds without any answer after which a separate connection asks whether the database is there. */
const suspicious = 1_500;
/** Milliseconds without any answer, to that question either, after which no further caller is kept waiting. */
const silentAfter = 3_000;

/**
 * Notices that the database does not answer: statements were sent, or connections tried, and for seconds nothing came
 * back. Queries are then rejected immediately. One question at a time is sent meanwhile; the first answer ends it.
 */
export class AnswerWatchdog {
  private readonly sent = new Map<number, number>();
  private next = 0;
  private lastAnswer = performance.now();
  private failingSince: number | undefined;
  private lastLook = performance.now();
  private probing = false;
  private since: number | undefined;
  private readonly timer: NodeJS.Timeout;
  private readonly listeners: (() => void)[] = [];

  /** @param probe rejects when the database did not answer; must not share connections with others */
  constructor(private readonly probe: () => Promise<void>) {
    this.timer = setInterval(() => {
      this.look();
    }, interval).unref();
  }

  /** Milliseconds for which the database has been silent; `undefined` while it answers. */
  get duration(): number | undefined {
    return this.since === undefined ? undefined : performance.now() - this.since;
  }

  /** Calls back each time a silence is noticed. */
  onNoticed(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Throws `WorkDroppedError` while the database is silent. */
  refuse(): void {
    if (this.since !== undefined) throw new WorkDroppedError('database_silent');
  }

  /** Says that something was sent. The result is to be handed to `ended`. */
  began(): number {
    const id = this.next++;
    this.sent.set(id, performance.now());
    return id;
  }

  /** @param answered whether the database itself spoke, be it with an error */
  ended(id: number, answered: boolean): void {
    this.sent.delete(id);
    if (answered) this.heard();
    else this.failingSince ??= performance.now();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private heard(): void {
    this.lastAnswer = performance.now();
    this.failingSince = undefined;
    this.since = undefined;
  }

  private look(): void {
    const now = performance.now();
    const wasHeldUp = now - this.lastLook > 3 * interval;
    this.lastLook = now;
    // This process itself had no time: answers may wait to be read.
    if (wasHeldUp) return;
    const [oldest] = this.sent.values();
    const begin = Math.max(this.lastAnswer, Math.min(oldest ?? Infinity, this.failingSince ?? Infinity));
    if (begin === Infinity) return;
    const quiet = now - begin;
    if (quiet < suspicious && this.failingSince === undefined && this.since === undefined) return;
    this.ask();
    if (quiet < silentAfter || this.since !== undefined) return;
    this.since = begin;
    for (const listener of this.listeners) listener();
  }

  private ask(): void {
    if (this.probing) return;
    this.probing = true;
    this.probe()
      .then(
        () => {
          this.heard();
        },
        () => {
          this.failingSince ??= performance.now();
        },
      )
      .finally(() => (this.probing = false));
  }
}
