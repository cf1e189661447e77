import { Worker } from 'node:worker_threads';
import { checkThreadProgram } from './check-thread-program';
import type { ClaimsFault } from './ready-schema';
import { CheckTimeout } from './check-timeout';
import type { SchemaFault } from './schema-compiler';
import type { JsonSchema } from './schema-safety';

/** One check of claims against a schema. */
export interface SchemaCheck {
  /** The same for the same schema only. */
  readonly key: string;
  readonly schema: JsonSchema;
  /** Whether the schema itself has not been checked yet. */
  readonly isNew: boolean;
  /** How many values the schema holds. */
  readonly values: number;
  readonly claims: unknown;
}

/** What is sent to a thread: no schema when it has compiled it before. */
export interface CheckTask extends Omit<SchemaCheck, 'schema'> {
  readonly schema: JsonSchema | undefined;
  /** Whether to drop everything compiled before. */
  readonly forget: boolean;
}

type Result =
  | { readonly kind: 'checked'; readonly faults: readonly ClaimsFault[] }
  /** The schema cannot be compiled; `path` is a JSON Pointer to the place in it, when that is known. */
  | ({ readonly kind: 'unusable'; readonly further: readonly SchemaFault[] } & SchemaFault)
  /** The check takes too much: time, memory or stack. */
  | { readonly kind: 'overrun' };

/** What a thread sends: `ready` once, then for each task `compiled` and a result, or that the schema is unusable. */
export type ThreadMessage = { readonly kind: 'ready' | 'compiled' } | Result;

/** `took`: milliseconds of the check, without the compilation. */
export type CheckOutcome = Result & { readonly took: number };

/**
 * MiB. Only a last resort, as a thread that meets it may take the process along: what a check can need is limited by the
 * size of its claims and the number of its errors.
 */
const largestHeap = 128;
/** Values of all schemas that a thread keeps compiled; each takes about a kilobyte. */
const mostCompiled = 20_000;
const longestCompilation = 2000;
const longestIdle = 60_000;

/** A thread that does one check at a time: started when it is needed, ended after a minute without work. */
export class CheckThread {
  private worker: Worker | undefined;
  private idle: NodeJS.Timeout | undefined;
  /** How many values they hold, by key. */
  private readonly compiled = new Map<string, number>();

  /** @param longest milliseconds of one check */
  constructor(private readonly longest: number) {}

  get isRunning(): boolean {
    return this.worker !== undefined;
  }

  hasCompiled(key: string): boolean {
    return this.compiled.has(key);
  }

  /** Rejects when the thread cannot be started. */
  run(check: SchemaCheck): Promise<CheckOutcome> {
    clearTimeout(this.idle);
    const { isRunning } = this;
    const worker = (this.worker ??= this.start());
    // The process must not end while a caller waits.
    worker.ref();
    return new Promise((resolve, reject) => {
      let timeout: CheckTimeout | undefined;
      let begun: number | undefined;
      const leave = (result: Result): void => {
        timeout?.cancel();
        worker.off('message', listen).off('error', fail).off('exit', fail).unref();
        this.idle = setTimeout(() => void this.end(), longestIdle).unref();
        if (result.kind === 'unusable') this.compiled.delete(check.key);
        resolve({ ...result, took: begun === undefined ? 0 : performance.now() - begun });
      };
      const limit = (longest: number): void => {
        timeout?.cancel();
        timeout = new CheckTimeout(longest, () => {
          leave({ kind: 'overrun' });
          void this.end();
        });
      };
      const fail = (error: unknown): void => {
        // Before it was given anything to do, it is not the check that is to blame.
        if (!timeout)
          reject(error instanceof Error ? error : new Error('A thread for checks of claims does not start.'));
        leave({ kind: 'overrun' });
        this.forget(worker);
      };
      const listen = (message: ThreadMessage): void => {
        switch (message.kind) {
          case 'ready':
            limit(longestCompilation);
            worker.postMessage(this.taskOf(check));
            return;
          case 'compiled':
            begun = performance.now();
            limit(this.longest);
            return;
          case 'checked':
          case 'unusable':
          case 'overrun':
            leave(message);
        }
      };
      worker.on('message', listen).on('error', fail).on('exit', fail);
      if (isRunning) listen({ kind: 'ready' });
    });
  }

  /** Ends what it is doing, too. */
  async end(): Promise<void> {
    const { worker } = this;
    if (!worker) return;
    this.forget(worker);
    await worker.terminate();
  }

  private start(): Worker {
    const worker = new Worker(checkThreadProgram, {
      // What the service was started with is none of its business.
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: largestHeap },
    });
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      this.forget(worker);
    });
    return worker;
  }

  private forget(worker: Worker): void {
    if (this.worker !== worker) return;
    clearTimeout(this.idle);
    this.worker = undefined;
    this.compiled.clear();
  }

  private taskOf(check: SchemaCheck): CheckTask {
    if (this.compiled.has(check.key)) return { ...check, schema: undefined, forget: false };
    const values = [...this.compiled.values()].reduce((sum, one) => sum + one, check.values);
    const forget = values > mostCompiled;
    if (forget) this.compiled.clear();
    this.compiled.set(check.key, check.values);
    return { ...check, forget };
  }
}
