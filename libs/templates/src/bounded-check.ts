import { createContext, Script } from 'node:vm';

/** Milliseconds. Honest claims take less than one; patterns and `uniqueItems` can take hours. */
const longestCheck = 250;
const mostAttempts = 4;

const sandbox = createContext({ check: undefined });
const call = new Script('check()');

/**
 * Runs a check and ends it when it takes too long, a regular expression at work included; throws then. The sandbox goes
 * by the clock on the wall: on a machine that is busy with something else, an honest check can meet its end before it has
 * begun. One that had little of the processor is therefore begun again.
 * @param processorTime milliseconds that this process has had of the processor so far
 */
export function withinTime(check: () => boolean, processorTime = timeOfThisProcess): boolean {
  sandbox['check'] = check;
  for (let attempt = 1, spent = 0; ; attempt++) {
    const before = processorTime();
    try {
      return call.runInContext(sandbox, { timeout: longestCheck }) === true;
    } catch (error) {
      spent += processorTime() - before;
      if (!isTimeout(error) || spent > longestCheck * 0.8 || attempt === mostAttempts) throw error;
    }
  }
}

function timeOfThisProcess(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function isTimeout(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
