import type { ValidateFunction } from 'ajv';
import { parentPort } from 'node:worker_threads';
import type { CheckTask, ThreadMessage } from './check-thread';
import { faultsOf } from './claims-faults';
import { assertWellFormed, compileSchema } from './schema-compiler';

// The program of a thread that checks claims. check-thread.ts starts it, and ends it when a check takes too long.

/** By key, until the other side says to forget them. */
const compiled = new Map<string, ValidateFunction>();

function say(message: ThreadMessage): void {
  parentPort?.postMessage(message);
}

function validatorOf({ key, schema, isNew, forget }: CheckTask): ValidateFunction {
  if (forget) compiled.clear();
  const known = compiled.get(key);
  if (known) return known;
  if (!schema) throw new Error('the schema has not been sent');
  if (isNew) assertWellFormed(schema);
  const validate = compileSchema(schema);
  compiled.set(key, validate);
  return validate;
}

function perform(task: CheckTask): void {
  let validate: ValidateFunction;
  try {
    validate = validatorOf(task);
  } catch (error) {
    say({ kind: 'unusable', message: error instanceof Error ? error.message : 'cannot be compiled' });
    return;
  }
  say({ kind: 'compiled' });
  try {
    say({ kind: 'checked', faults: faultsOf(validate, task.claims) });
  } catch {
    // The stack is full: the schema refers to itself without end, or a regular expression went too deep.
    say({ kind: 'overrun' });
  }
}

parentPort?.on('message', perform);
say({ kind: 'ready' });
