type Entry<Value> = { readonly value: Value; readonly weight: number; readonly expiresAt: number };

/** What an entry takes besides its key and its value. */
const ENTRY_BYTES = 200;

/**
 * Remembers values until a time, the newest ones up to a total number of bytes. Keys count, too: they are addresses and
 * names that others chose, and may be longer than their values. Time comes in with every call.
 */
export class TtlCache<Value> {
  private readonly entries = new Map<string, Entry<Value>>();
  private weight = 0;

  constructor(private readonly maxBytes: number) {}

  get(key: string, now: Date): Value | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    if (now.getTime() < entry.expiresAt) return entry.value;
    this.delete(key, entry);
    return undefined;
  }

  /** @param bytes that the value takes, about */
  set(key: string, value: Value, expiresAt: number, bytes: number): void {
    // JavaScript keeps a character in one byte or in two.
    const weight = ENTRY_BYTES + 2 * key.length + bytes;
    const known = this.entries.get(key);
    if (known !== undefined) this.delete(key, known);
    if (weight > this.maxBytes) return;
    this.entries.set(key, { value, weight, expiresAt });
    this.weight += weight;
    // A Map iterates in insertion order: the first entry is the oldest.
    for (const [oldestKey, oldest] of this.entries) {
      if (this.weight <= this.maxBytes) return;
      this.delete(oldestKey, oldest);
    }
  }

  clear(): void {
    this.entries.clear();
    this.weight = 0;
  }

  private delete(key: string, entry: Entry<Value>): void {
    this.entries.delete(key);
    this.weight -= entry.weight;
  }
}
