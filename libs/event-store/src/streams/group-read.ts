import { TenantLanes } from '@app/primitives/context';
import { type CurrentDeadline, type Deadline, noDeadline, onEnd, remaining } from '@app/primitives/time';
import { StoreUnavailableError, WorkDroppedError } from '../errors';

/** As with writers: two keep the server busy while the next group gathers. */
const readers = 2;
const groupSize = 64;
/** What waits beyond it is refused: a database that is this far behind would not answer in time. */
const longestQueue = 5_000;
/** What a tenant may add although others have filled the queue, which then holds twice as much at most. */
const ownShare = longestQueue / 4;
/** Milliseconds for a group in which a caller has no deadline. */
const patience = 20_000;

interface Waiting<R> {
  readonly key: string;
  readonly deadline: Deadline | undefined;
  readonly resolve: (found: R | undefined) => void;
  readonly reject: (error: unknown) => void;
  /** Ends the watch on the deadline. */
  readonly forget: () => void;
}

/** Reads by key. One that finds a free reader goes at once; those that arrive while both are busy go together with the next statement. */
export class GroupRead<R> {
  private readonly queue = new TenantLanes<Waiting<R>>();
  private readonly underWay = new Set<readonly Waiting<R>[]>();
  private busy = 0;

  /** @param ask what was found, by key, within `timeout` milliseconds */
  constructor(
    private readonly ask: (keys: readonly string[], timeout: number) => Promise<ReadonlyMap<string, R>>,
    private readonly deadline: CurrentDeadline = noDeadline,
  ) {}

  read(key: string): Promise<R | undefined> {
    return new Promise<R | undefined>((resolve, reject) => {
      const deadline = this.deadline();
      if (remaining(deadline) === 0) reject(new WorkDroppedError('deadline'));
      else if (this.isFull()) reject(new WorkDroppedError('queue_full'));
      else {
        // The caller is rejected immediately, even while the statement of the group continues for others.
        const forget = onEnd(deadline, () => {
          reject(new StoreUnavailableError('The database did not answer in time.', false));
        });
        this.queue.push({ key, deadline, resolve, reject, forget });
        this.pump();
      }
    });
  }

  /** Fails all waiting reads because the database is silent: a read leaves nothing behind of which the outcome could matter. */
  dropAll(): void {
    for (const { reject, forget } of [...this.queue.clear(), ...[...this.underWay].flat()]) {
      forget();
      reject(new WorkDroppedError('database_silent'));
    }
  }

  private isFull(): boolean {
    const { size } = this.queue;
    return size >= longestQueue && (size >= 2 * longestQueue || this.queue.own().length >= ownShare);
  }

  private pump(): void {
    while (this.busy < readers && this.queue.size > 0) {
      // Who waited in vain has heard so.
      const group = this.queue.take(groupSize).filter(({ deadline }) => remaining(deadline) > 0);
      if (group.length === 0) continue;
      this.busy++;
      this.readGroup(group);
    }
  }

  private readGroup(group: readonly Waiting<R>[]): void {
    this.underWay.add(group);
    const timeout = Math.min(patience, Math.max(...group.map(({ deadline }) => remaining(deadline))));
    const ended = (tell: (one: Waiting<R>) => void): void => {
      this.underWay.delete(group);
      for (const one of group) {
        one.forget();
        tell(one);
      }
      this.busy--;
      this.pump();
    };
    this.ask([...new Set(group.map(({ key }) => key))], timeout).then(
      (found) => {
        ended(({ key, resolve }) => {
          resolve(found.get(key));
        });
      },
      (error: unknown) => {
        ended(({ reject }) => {
          reject(error);
        });
      },
    );
  }
}
