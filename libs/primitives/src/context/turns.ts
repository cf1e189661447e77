import { apart } from './apart';

/** Pieces of work that take turns, in the order they come. */
export class Turns {
  private last: Promise<unknown> = Promise.resolve();

  /** Resolves or rejects like the work, which begins when all before it has ended. */
  take<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.last.then(work);
    this.last = apart(() => turn.catch(() => undefined));
    return turn;
  }
}
