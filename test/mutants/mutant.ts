import { readFileSync } from 'node:fs';

/** Possible faults in one file, and the tests of which at least one must fail then. */
export interface FileMutants {
  /** Path from the root of the project, as are those of the tests. */
  readonly file: string;
  readonly tests: readonly string[];
  readonly mutants: readonly {
    /** What a user would notice of it. */
    readonly noticed: string;
    /** Text that occurs in the file once. */
    readonly original: string;
    /** Nothing when absent. */
    readonly replacement?: string;
    /** Tests of its own, where those of the file would take too long. */
    readonly tests?: readonly string[];
  }[];
}

export interface Mutant {
  readonly file: string;
  readonly noticed: string;
  readonly original: string;
  readonly replacement: string;
  readonly tests: readonly string[];
}

export function mutantsIn(files: readonly FileMutants[]): Mutant[] {
  return files.flatMap(({ file, tests, mutants }) =>
    mutants.map((mutant) => ({ file, tests, replacement: '', ...mutant })),
  );
}

/** Why a mutant cannot be tried, and what to do; `undefined` when it can. */
export function faultOf({ file, original, noticed }: Mutant, root: string): string | undefined {
  const occurrences = readFileSync(`${root}/${file}`, 'utf8').split(original).length - 1;
  if (occurrences === 1) return undefined;
  return `${file} has ${occurrences} times ${JSON.stringify(original)} (${noticed}): bring test/mutants up to date`;
}
