/** Runs of positions, the lowest first: `1-40,42`. */
export function renderPositions(sorted: readonly number[]): string {
  const runs: string[] = [];
  for (let i = 0; i < sorted.length; i++) {
    const first = sorted[i];
    while (sorted[i + 1] === (sorted[i] ?? 0) + 1) i++;
    const last = sorted[i];
    runs.push(first === last ? `${first}` : `${first}-${last}`);
  }
  return runs.join();
}

export interface Run {
  readonly first: number;
  readonly last: number;
}

/** Throws `SyntaxError` for what `renderPositions` does not write. */
export function parsePositions(text: string): Run[] {
  return text.split(',').map((run) => {
    const [, first, last = first] = /^([1-9]\d{0,15})(?:-([1-9]\d{0,15}))?$/.exec(run) ?? [];
    if (first === undefined || Number(last) < Number(first)) throw new SyntaxError(`"${run}" is no run of positions.`);
    return { first: Number(first), last: Number(last) };
  });
}

/** Finds what covers a position, among things that cover runs of them. */
export class Coverage<T extends { readonly runs: readonly Run[] }> {
  private readonly runs: readonly (Run & { readonly owner: T })[];

  constructor(owners: readonly T[]) {
    this.runs = owners
      .flatMap((owner) => owner.runs.map((run) => ({ ...run, owner })))
      .sort((one, other) => one.first - other.first);
  }

  of(position: number): T | undefined {
    let [low, high] = [0, this.runs.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const run = this.runs[middle];
      if (run === undefined) return undefined;
      if (position < run.first) high = middle - 1;
      else if (position > run.last) low = middle + 1;
      else return run.owner;
    }
    return undefined;
  }
}
