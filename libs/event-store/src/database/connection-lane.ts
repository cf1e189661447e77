import { apart } from '@app/primitives/context';
import { StoreUnavailableError } from '../errors';
import type { PipelinedConnection } from './pipelined-connection';

/** Two keep the server busy, and one that hangs leaves the other. */
export const laneSize = 2;
/** Milliseconds between two looks for statements that are late. Callers have deadlines of their own. */
const interval = 100;
/** Milliseconds after which a connection without work is closed, as in the pool. */
const longestIdle = 10_000;

/** A few pipelined connections for statements of one kind, opened when they are needed. */
export class ConnectionLane {
  private connections: PipelinedConnection[] = [];
  /** No longer used, and not yet closed. */
  private retired: PipelinedConnection[] = [];
  private readonly opening = new Set<Promise<PipelinedConnection>>();
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(private readonly openConnection: () => Promise<PipelinedConnection>) {}

  /** The connection for the next statement, where one is open. */
  ready(): PipelinedConnection | undefined {
    let best: PipelinedConnection | undefined;
    for (const one of this.connections) {
      if (one.isOpen && (best === undefined || one.load < best.load)) best = one;
    }
    if (best === undefined || best.load === 0) return best;
    const now = performance.now();
    if (best.isHeldUp(now)) best = this.connections.find((one) => one.isOpen && !one.isHeldUp(now)) ?? best;
    // There is room for another, on which nothing is ahead of the next statement.
    return this.isFull() ? best : undefined;
  }

  /** As `ready`, of a new connection where none is open or there is room for another. Rejects when there is none to be had. */
  async connection(): Promise<PipelinedConnection> {
    try {
      return this.ready() ?? (await this.open());
    } catch (error) {
      const other = this.connections.find(({ isOpen }) => isOpen);
      if (other) return other;
      throw error;
    }
  }

  counts(): { readonly idle: number; readonly busy: number } {
    const busy = this.connections.filter(({ load }) => load > 0).length + this.retired.length;
    return { idle: this.connections.length + this.retired.length - busy, busy };
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.allSettled(this.opening);
    await Promise.all([...this.connections, ...this.retired].map((one) => one.close()));
    clearInterval(this.timer);
  }

  private isFull(): boolean {
    this.removeClosed();
    return this.connections.length + this.opening.size >= laneSize;
  }

  private async open(): Promise<PipelinedConnection> {
    if (this.isFull()) {
      const [next] = this.opening;
      if (next) return next;
    }
    if (this.isClosed) throw new StoreUnavailableError('The database was closed.', false);
    const opening = this.openConnection();
    this.opening.add(opening);
    try {
      const connection = await opening;
      this.connections.push(connection);
      this.timer ??= apart(() =>
        setInterval(() => {
          this.look();
        }, interval).unref(),
      );
      return connection;
    } finally {
      this.opening.delete(opening);
    }
  }

  private look(): void {
    const now = performance.now();
    for (const one of [...this.connections, ...this.retired]) {
      one.giveUpLate(now);
      if (one.isOpen && one.idleTime(now) > longestIdle) void one.close();
    }
    this.removeClosed();
    this.retired = this.retired.filter(({ load }) => load > 0);
    if (this.connections.length + this.retired.length > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private removeClosed(): void {
    if (this.connections.every(({ isOpen }) => isOpen)) return;
    this.retired.push(...this.connections.filter(({ isOpen }) => !isOpen));
    this.connections = this.connections.filter(({ isOpen }) => isOpen);
  }
}
