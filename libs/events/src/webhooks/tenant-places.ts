import { currentMark, currentTenant } from '@app/primitives/context';

/** Requests to receivers of one tenant at a time, whatever webhooks they are of. */
const mostOfTenant = 16;

/** Who may send in the name of a tenant, so that one whose receivers are slow takes no more than its share. The issuer of the settings always may. */
export class TenantPlaces {
  private readonly taken = new Map<string, number>();
  private readonly waiting = new Map<string, (() => void)[]>();

  /** @returns whether the tenant at hand had one; who has got it releases it */
  take(): boolean {
    const mark = currentTenant()?.mark;
    if (mark === undefined) return true;
    const taken = this.taken.get(mark) ?? 0;
    if (taken >= mostOfTenant) return false;
    this.taken.set(mark, taken + 1);
    return true;
  }

  release(): void {
    const mark = currentTenant()?.mark;
    if (mark === undefined) return;
    const left = (this.taken.get(mark) ?? 0) - 1;
    if (left > 0) this.taken.set(mark, left);
    else this.taken.delete(mark);
    const waiting = this.waiting.get(mark) ?? [];
    this.waiting.delete(mark);
    for (const wake of waiting) wake();
  }

  /** Resolves when another one has released a place of the tenant at hand. */
  released(): Promise<void> {
    const mark = currentMark();
    return new Promise((resolve) => {
      const waiting = this.waiting.get(mark);
      if (waiting) waiting.push(resolve);
      else this.waiting.set(mark, [resolve]);
    });
  }
}
