import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { callerNow, FairQueue } from './fair-queue';
import { widened } from './widened-pattern';

export type PatternVerdict = 'safe' | 'vulnerable' | 'undecided';

/**
 * Milliseconds for one expression, and for all of one schema together. Everyday ones take a tenth of a second, few a
 * whole one; the rest is for a busy machine, so that its load does not decide what is refused.
 */
const patternTime = 6000;
const schemaTime = 20_000;
/** MiB; the analysis of an expression with many alternatives would take whatever it gets. */
const largestHeap = 128;
const mostKept = 2000;

/** Verdicts of earlier schemas by the hash of the expression, which may be as long as a schema; the same few come again and again. */
const kept = new Map<string, PatternVerdict>();
const queue = new FairQueue(2);

/**
 * Determines for each regular expression whether every text is matched in linear time by a backtracking engine. Decided by
 * static analysis in a separate thread, one for a caller at a time; what takes too long to decide stays `undecided`.
 */
export async function patternVerdicts(patterns: readonly string[]): Promise<ReadonlyMap<string, PatternVerdict>> {
  const verdicts = new Map<string, PatternVerdict>();
  const open = new Set<string>();
  for (const pattern of patterns) {
    const known = kept.get(nameOf(pattern));
    if (known === undefined) open.add(pattern);
    else verdicts.set(pattern, known);
  }
  if (open.size === 0) return verdicts;
  for (const [pattern, verdict] of await queue.run({ caller: callerNow(), subject: '' }, () => analyse([...open]))) {
    verdicts.set(pattern, verdict);
    if (verdict !== 'undecided') keep(pattern, verdict);
  }
  return verdicts;
}

// Runs in the thread: the part of the package that is plain JavaScript, without its native and Java companions.
const program = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { checkSync } = require(workerData.checker);
  for (const [index, pattern] of workerData.patterns.entries()) {
    let verdict = 'undecided';
    try {
      if (pattern === undefined) throw new Error('unknown syntax');
      // What is tried is judged by its steps alone: by time, a machine that pauses would make any expression vulnerable.
      const { status } = checkSync(pattern, 'u', { timeout: workerData.timeout, incubationTimeout: null });
      if (status !== 'unknown') verdict = status;
    } catch {}
    parentPort.postMessage([index, verdict]);
  }
`;

function analyse(patterns: readonly string[]): Promise<ReadonlyMap<string, PatternVerdict>> {
  const verdicts = new Map(patterns.map((pattern): [string, PatternVerdict] => [pattern, 'undecided']));
  return new Promise((resolve) => {
    const worker = new Worker(program, {
      eval: true,
      resourceLimits: { maxOldGenerationSizeMb: largestHeap },
      workerData: {
        checker: require.resolve('recheck/lib/browser.js'),
        patterns: patterns.map(analysable),
        timeout: patternTime,
      },
    });
    const deadline = setTimeout(() => void worker.terminate(), schemaTime);
    worker.on('message', ([index, verdict]: [number, PatternVerdict]) => {
      const pattern = patterns[index];
      if (pattern !== undefined) verdicts.set(pattern, verdict);
    });
    // Out of memory, for instance: the rest stays undecided. `exit` follows.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      clearTimeout(deadline);
      resolve(verdicts);
    });
  });
}

/** `undefined` for syntax that is too new to be analysed. */
function analysable(pattern: string): string | undefined {
  try {
    return widened(pattern);
  } catch {
    return undefined;
  }
}

function keep(pattern: string, verdict: PatternVerdict): void {
  if (kept.size >= mostKept) {
    const oldest = kept.keys().next();
    if (!oldest.done) kept.delete(oldest.value);
  }
  kept.set(nameOf(pattern), verdict);
}

function nameOf(pattern: string): string {
  return createHash('sha256').update(pattern).digest('base64url');
}
