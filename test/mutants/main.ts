import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { allMutants } from './all';
import { faultOf, type Mutant } from './mutant';

const root = join(__dirname, '../../..');
/** Milliseconds; a mutant may make a test hang. */
const longestRun = 10 * 60_000;

/** What Jest writes with --json, as far as it matters here. */
interface JestReport {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** `UNDECIDED`: the tests did not run, or did not end. */
type Outcome = 'killed' | 'SURVIVED' | 'UNDECIDED';

/** `npm run test:mutants [-- words]`: tries the mutants, or those whose file or description contains one of the words. */
async function main(words: readonly string[]): Promise<void> {
  const mutants = allMutants.filter(
    ({ file, noticed }) => words.length === 0 || words.some((word) => `${file} ${noticed}`.includes(word)),
  );
  const faults = mutants.flatMap((mutant) => faultOf(mutant, root) ?? []);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  const directory = await mkdtemp(join(tmpdir(), 'mutants-'));
  try {
    const tests = [...new Set(mutants.flatMap((mutant) => mutant.tests))];
    // What fails without a mutant proves nothing about one.
    const before = await run(tests, join(directory, 'before.json'));
    if (before?.success !== true) {
      throw new Error(
        `Without a mutant the tests do not pass:\n${(before?.failed ?? ['they did not end']).join('\n')}`,
      );
    }
    const outcomes = await tryAll(mutants, directory);
    const killed = outcomes.filter((outcome) => outcome === 'killed').length;
    process.stdout.write(`${killed} of ${mutants.length} mutants were killed.\n`);
    if (killed < mutants.length) process.exitCode = 1;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function tryAll(mutants: readonly Mutant[], directory: string): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const waiting = [...mutants.entries()];
  const tryOthers = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, mutant] = next;
      const outcome = await outcomeOf(mutant, join(directory, `${index}.json`));
      process.stdout.write(`${outcome.padEnd(9)}  ${mutant.file}: ${mutant.noticed}\n`);
      outcomes.push(outcome);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, tryOthers));
  return outcomes;
}

async function outcomeOf(mutant: Mutant, report: string): Promise<Outcome> {
  const ran = await run(mutant.tests, report, mutant);
  if (!ran) return 'UNDECIDED';
  if (ran.failed.length > 0) return 'killed';
  return ran.success && ran.passed > 0 ? 'SURVIVED' : 'UNDECIDED';
}

interface Ran {
  readonly success: boolean;
  readonly passed: number;
  /** Names of tests. */
  readonly failed: readonly string[];
}

/** What became of the tests; `undefined` when they did not end. */
async function run(tests: readonly string[], report: string, mutant?: Mutant): Promise<Ran | undefined> {
  const jest = [join(root, 'node_modules/jest/bin/jest.js'), '--config', join(root, 'test/mutants/jest.config.js')];
  const options = ['--runInBand', '--silent', '--json', '--outputFile', report, '--runTestsByPath', ...tests];
  const child = spawn(process.execPath, ['--no-warnings', ...jest, ...options], {
    cwd: root,
    env: { ...process.env, MUTANT: JSON.stringify(mutant ?? null) },
    stdio: 'ignore',
    timeout: mutant === undefined ? longestRun * 6 : longestRun,
    killSignal: 'SIGKILL',
  });
  await new Promise((resolve) => child.once('exit', resolve));
  const text = await readFile(report, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { success, numPassedTests, testResults } = JSON.parse(text) as JestReport;
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = results.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
  return { success, passed: numPassedTests, failed };
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
