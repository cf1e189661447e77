/** What may be stored once for each object: an offer by its id, a credential by the key of its request, and so on. */
export const effects = ['offer', 'credential', 'redemption', 'issue', 'withdrawal'] as const;
export type Effect = (typeof effects)[number];

/** One request and its answer. */
export interface Act {
  readonly effect: Effect;
  readonly object: string;
  /** `refused`: it was not carried out; `unknown`: it was, or not, or the connection ended without an answer. */
  readonly outcome: 'done' | 'refused' | 'unknown';
  /** What a success brought: repetitions of one request bring the same. */
  readonly result?: string | undefined;
}

/** How often each effect is stored for each object. */
export type Stored = Readonly<Record<Effect, ReadonlyMap<string, number>>>;

/** Each entry is `effect object`. */
export interface Verdict {
  /** Acknowledged, but not stored. */
  readonly lost: readonly string[];
  /** Stored twice, or done twice with different results. */
  readonly doubled: readonly string[];
  /** Stored, although every request for it was rejected. */
  readonly refusedButStored: readonly string[];
}

/** Compares the answers to clients with what is stored. */
export function judge(history: readonly Act[], stored: Stored): Verdict {
  const verdict = { lost: [] as string[], doubled: [] as string[], refusedButStored: [] as string[] };
  for (const [name, acts] of byObject(history)) {
    const [{ effect, object } = { effect: 'offer' as const, object: '' }] = acts;
    const count = stored[effect].get(object) ?? 0;
    const done = acts.filter(({ outcome }) => outcome === 'done');
    if (count === 0 && done.length > 0) verdict.lost.push(name);
    if (count > 1 || new Set(done.map(({ result }) => result)).size > 1) verdict.doubled.push(name);
    if (count > 0 && acts.every(({ outcome }) => outcome === 'refused')) verdict.refusedButStored.push(name);
  }
  return verdict;
}

/** What was done, of each effect; repetitions count once. */
export function acknowledged(history: readonly Act[]): Record<Effect, number> {
  const done = byObject(history.filter(({ outcome }) => outcome === 'done'));
  const counts = Object.fromEntries(effects.map((effect) => [effect, 0])) as Record<Effect, number>;
  for (const [{ effect } = { effect: 'offer' as const }] of done.values()) counts[effect]++;
  return counts;
}

function byObject(history: readonly Act[]): Map<string, Act[]> {
  const objects = new Map<string, Act[]>();
  for (const act of history) {
    const name = `${act.effect} ${act.object}`;
    const acts = objects.get(name);
    if (acts) acts.push(act);
    else objects.set(name, [act]);
  }
  return objects;
}
