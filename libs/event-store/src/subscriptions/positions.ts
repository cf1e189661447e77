export interface Run {
  readonly first: number;
  readonly last: number;
}

/** Runs of positions: `1-40,42`. */
export function renderRuns(runs: readonly Run[]): string {
  return runs.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join();
}

/** Runs of positions, the lowest first. */
export function renderPositions(sorted: readonly number[]): string {
  const runs: Run[] = [];
  for (const position of sorted) addPosition(runs, position);
  return renderRuns(runs);
}

/** Adds it to the last run if it follows it, else as a new run. */
export function addPosition(runs: Run[], position: number): void {
  const last = runs.at(-1);
  if (last?.last !== position - 1) runs.push({ first: position, last: position });
  else runs[runs.length - 1] = { first: last.first, last: position };
}

/** Throws `SyntaxError` for what `renderPositions` does not write. */
export function parsePositions(text: string): Run[] {
  return text.split(',').map((run) => {
    const [, first, last = first] = /^([1-9]\d{0,15})(?:-([1-9]\d{0,15}))?$/.exec(run) ?? [];
    if (first === undefined || Number(last) < Number(first))
      throw new SyntaxError(`"${run}" is not a run of positions.`);
    return { first: Number(first), last: Number(last) };
  });
}

/** Finds what covers a position, among items that cover runs of them. */
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
