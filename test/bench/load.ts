import { performance } from 'node:perf_hooks';
import type { CpuMeter } from './cpu';

/** What was measured while callers repeated a request, each waiting for its own answer. */
export interface Measured {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of CPU for each time the thing was done; `undefined` where it cannot be read. */
  readonly cpu: Readonly<Record<string, number | undefined>>;
}

export interface Load {
  readonly callers: number;
  /** Ends after so many seconds or so many times. */
  readonly until: { readonly seconds: number } | { readonly times: number };
  /** `caller` counts from 0. */
  readonly work: (caller: number) => Promise<unknown>;
  readonly meters?: Readonly<Record<string, CpuMeter>>;
  /** Others who do something else meanwhile, which is not counted but in the CPU. */
  readonly beside?: Pick<Load, 'callers' | 'work'>;
}

export async function measure({ callers, until, work, meters = {}, beside }: Load): Promise<Measured> {
  const latencies: number[] = [];
  const before = readAll(meters);
  const begin = performance.now();
  const goesOn =
    'seconds' in until
      ? () => performance.now() - begin < until.seconds * 1000
      : (
          (left) => () =>
            left-- > 0
        )(until.times);
  const caller = async (index: number): Promise<void> => {
    while (goesOn()) {
      const start = performance.now();
      await work(index);
      latencies.push(performance.now() - start);
    }
  };
  let isOver = false;
  const other = async (index: number): Promise<void> => {
    while (!isOver) await beside?.work(index);
  };
  const others = Promise.all(Array.from({ length: beside?.callers ?? 0 }, (_, index) => other(index)));
  await Promise.all(Array.from({ length: callers }, (_, index) => caller(index)));
  isOver = true;
  const seconds = (performance.now() - begin) / 1000;
  const after = readAll(meters);
  await others;
  latencies.sort((a, b) => a - b);
  return {
    perSecond: latencies.length / seconds,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    cpu: Object.fromEntries(
      Object.keys(meters).map((name) => [name, difference(before[name], after[name], latencies.length)]),
    ),
  };
}

/** More than so much of a core for other work beside it, and a round does not count. */
export const mostOfOthers = 0.15;
/** A round is tried so many times on average. */
const tries = 3;

/** What rounds need of a `Plan`. */
export interface Rounds {
  readonly rounds: number;
  /** Of all other work on the machine. */
  readonly others: CpuMeter;
  /** Is told of each round that did not count, and of each figure that there is not. */
  readonly note: (line: string) => void;
  readonly refused: (line: string) => void;
}

/**
 * Measures what is compared in alternation, so that all of it runs under the same conditions; medians of the rounds. A round beside
 * which the machine did other work is measured again; after too many of those there is no figure: all of them are NaN.
 */
export async function turnByTurn<Name extends string>(
  { rounds, others, note, refused }: Rounds,
  loads: Readonly<Record<Name, Load>>,
): Promise<Record<Name, Measured>> {
  const turns = Object.entries<Load>(loads).map(([name, load]) => ({ name, load, results: [] as Measured[] }));
  for (let left = rounds * tries; left > 0; left--) {
    for (const { name, load, results } of turns) {
      if (results.length === rounds) continue;
      const [before, begin] = [others(), performance.now()];
      const measured = await measure(load);
      const after = others();
      const seconds = (performance.now() - begin) / 1000;
      const cores = before === undefined || after === undefined ? 0 : (after - before) / seconds;
      if (cores <= mostOfOthers) results.push(measured);
      else note(`${name}: other work took ${cores.toFixed(2)} of a core; this round does not count.`);
    }
  }
  const figures = turns.map(({ name, load, results }) => {
    if (results.length === rounds) return [name, medianOf(results)];
    refused(
      `${name}, ${load.callers} in flight: beside ${rounds * tries - results.length} of ${rounds * tries} rounds other work took ` +
        `more than ${mostOfOthers} of a core.`,
    );
    return [name, unknown(load)];
  });
  return Object.fromEntries(figures) as Record<Name, Measured>;
}

function unknown({ meters = {} }: Load): Measured {
  return {
    perSecond: NaN,
    p50: NaN,
    p99: NaN,
    cpu: Object.fromEntries(Object.keys(meters).map((name) => [name, undefined])),
  };
}

/** The median of each figure by itself. */
export function medianOf(rounds: readonly Measured[]): Measured {
  const names = Object.keys(rounds[0]?.cpu ?? {});
  return {
    perSecond: median(rounds.map((round) => round.perSecond)),
    p50: median(rounds.map((round) => round.p50)),
    p99: median(rounds.map((round) => round.p99)),
    cpu: Object.fromEntries(
      names.map((name) => {
        const known = rounds.flatMap(({ cpu }) => cpu[name] ?? []);
        return [name, known.length > 0 ? median(known) : undefined];
      }),
    ),
  };
}

function median(figures: readonly number[]): number {
  return percentile(
    [...figures].sort((a, b) => a - b),
    0.5,
  );
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

function readAll(meters: Readonly<Record<string, CpuMeter>>): Record<string, number | undefined> {
  return Object.fromEntries(Object.entries(meters).map(([name, meter]) => [name, meter()]));
}

function difference(before: number | undefined, after: number | undefined, times: number): number | undefined {
  return before === undefined || after === undefined ? undefined : ((after - before) * 1e6) / times;
}
