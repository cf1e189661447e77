import type { Socket } from 'node:net';
import type { Client } from 'pg';
import type { Statement } from './sql-driver';

/** Milliseconds without an answer after which others had better take another connection. */
const heldUpAfter = 250;

/** A statement that is not answered yet. */
interface Sent {
  /** On the clock of `performance.now()`, as all times here. */
  readonly since: number;
  readonly until: number;
  readonly giveUp: () => void;
}

/**
 * A connection on which statements are sent without waiting for the answers to those before them. The server carries out one
 * after the other, each in a transaction of its own: one that fails does not affect those behind it.
 */
export class PipelinedConnection {
  private readonly sent = new Set<Sent>();
  private open = true;
  private idleSince = performance.now();

  /** @param client connected, with `pipeline` set, over this socket */
  constructor(
    private readonly client: Client,
    private readonly socket: Socket,
  ) {
    client.on('error', () => (this.open = false));
    client.on('end', () => (this.open = false));
  }

  /** False once it is broken, or has left a statement without an answer for too long: nothing more is to be sent. */
  get isOpen(): boolean {
    return this.open;
  }

  /** How many statements wait for an answer. */
  get load(): number {
    return this.sent.size;
  }

  isHeldUp(now: number): boolean {
    const [oldest] = this.sent;
    return oldest !== undefined && now - oldest.since > heldUpAfter;
  }

  /** Milliseconds for which nothing was under way. */
  idleTime(now: number): number {
    return this.load > 0 ? 0 : now - this.idleSince;
  }

  /**
   * A statement that is not answered in time may still be carried out.
   * @param meaning of what `pg` fails with: the error that it rejects with
   */
  query<T>({ name, text, values }: Statement, until: number, meaning: (failure: Error) => Error): Promise<T[]> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        reject(meaning(new Error('There was no answer in time.')));
      };
      const sent: Sent = { since: performance.now(), until, giveUp };
      this.sent.add(sent);
      this.client.query({ name, text, values: values as unknown[] }, (error: Error | null, result) => {
        this.sent.delete(sent);
        if (this.load === 0) this.idleSince = performance.now();
        if (error) reject(meaning(error));
        else resolve(result.rows as T[]);
      });
    });
  }

  /**
   * Gives up what is late. The connection is not used any more after that, but is kept as long as other statements on it have
   * time: whether they are answered depends on what came before them.
   */
  giveUpLate(now: number): void {
    for (const one of this.sent) {
      if (one.until > now) continue;
      this.sent.delete(one);
      this.open = false;
      one.giveUp();
    }
    if (!this.open && this.load === 0) this.socket.destroy();
  }

  /** Resolves when all that was sent has its answer, or none is waited for any more, and the connection is closed. */
  async close(): Promise<void> {
    this.open = false;
    await this.client.end();
  }
}
