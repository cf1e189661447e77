import { currentMark } from './tenant';

/** What waits, in the order it came; where several tenants wait, one piece of each in turn. The service itself counts as one of them. */
export class TenantLanes<T> {
  /** By marks; whose turn is next comes first. */
  private readonly lanes = new Map<string, T[]>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** What waits of the tenant at hand. */
  own(): readonly T[] {
    return this.lanes.get(currentMark()) ?? [];
  }

  /** In the name of the tenant at hand. */
  push(item: T): void {
    const mark = currentMark();
    const lane = this.lanes.get(mark);
    if (lane) lane.push(item);
    else this.lanes.set(mark, [item]);
    this.count++;
  }

  /** Takes at most so many; what may not be taken keeps its place. */
  take(most: number, mayTake: (item: T) => boolean = () => true): T[] {
    const taken: T[] = [];
    const turns = [...this.lanes].map(([mark, lane]) => ({ mark, lane, skipped: 0 }));
    for (let turn = turns.shift(); turn !== undefined && taken.length < most; turn = turns.shift()) {
      const { mark, lane } = turn;
      for (let item = lane[turn.skipped]; item !== undefined; item = lane[turn.skipped]) {
        if (!mayTake(item)) {
          turn.skipped++;
          continue;
        }
        lane.splice(turn.skipped, 1);
        taken.push(item);
        this.lanes.delete(mark);
        if (lane.length > 0) this.lanes.set(mark, lane);
        turns.push(turn);
        break;
      }
    }
    this.count -= taken.length;
    return taken;
  }

  /** Takes one that is not waited for any more. Returns whether it was there. */
  remove(item: T): boolean {
    for (const [mark, lane] of this.lanes) {
      const at = lane.indexOf(item);
      if (at === -1) continue;
      lane.splice(at, 1);
      if (lane.length === 0) this.lanes.delete(mark);
      this.count--;
      return true;
    }
    return false;
  }

  /** Takes all. */
  clear(): T[] {
    const all = [...this.lanes.values()].flat();
    this.lanes.clear();
    this.count = 0;
    return all;
  }
}
