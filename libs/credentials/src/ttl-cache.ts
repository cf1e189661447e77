type Entry<Value> = { readonly value: Value; readonly weight: number; readonly expiresAt: number };

/** Remembers values until a time, the newest ones up to a total weight. Time comes in with every call. */
export class TtlCache<Value> {
  private readonly entries = new Map<string, Entry<Value>>();
  private weight = 0;

  constructor(private readonly maxWeight: number) {}

  get(key: string, now: Date): Value | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    if (now.getTime() < entry.expiresAt) return entry.value;
    this.delete(key, entry);
    return undefined;
  }

  set(key: string, value: Value, expiresAt: number, weight = 1): void {
    const known = this.entries.get(key);
    if (known !== undefined) this.delete(key, known);
    if (weight > this.maxWeight) return;
    this.entries.set(key, { value, weight, expiresAt });
    this.weight += weight;
    // A Map iterates in insertion order: the first entry is the oldest.
    for (const [oldestKey, oldest] of this.entries) {
      if (this.weight <= this.maxWeight) return;
      this.delete(oldestKey, oldest);
    }
  }

  private delete(key: string, entry: Entry<Value>): void {
    this.entries.delete(key);
    this.weight -= entry.weight;
  }
}
