/** As with writers: two keep the server busy while the next group gathers. */
const readers = 2;
const groupSize = 64;

interface Waiting<R> {
  readonly key: string;
  readonly resolve: (found: R | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Reads by key. One that finds a free reader goes at once; those that arrive while both are busy go together with the next statement. */
export class GroupRead<R> {
  private readonly queue: Waiting<R>[] = [];
  private busy = 0;

  /** @param ask what was found, by key */
  constructor(private readonly ask: (keys: readonly string[]) => Promise<ReadonlyMap<string, R>>) {}

  read(key: string): Promise<R | undefined> {
    return new Promise((resolve, reject) => {
      this.queue.push({ key, resolve, reject });
      this.pump();
    });
  }

  private pump(): void {
    while (this.busy < readers && this.queue.length > 0) {
      this.busy++;
      void this.readGroup(this.queue.splice(0, groupSize)).finally(() => {
        this.busy--;
        this.pump();
      });
    }
  }

  private async readGroup(group: readonly Waiting<R>[]): Promise<void> {
    try {
      const found = await this.ask([...new Set(group.map(({ key }) => key))]);
      for (const { key, resolve } of group) resolve(found.get(key));
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}
