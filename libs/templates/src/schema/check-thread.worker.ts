import { parentPort } from 'node:worker_threads';
import type { CheckTask, ThreadMessage } from './check-thread';
import { ReadySchema } from './ready-schema';
import { assertWellFormed, MalformedSchemaError } from './schema-compiler';

// The program of a thread that checks claims. check-thread.ts starts it, and ends it when a check takes too long.

/** By key, until the other side says to forget them. */
const schemas = new Map<string, ReadySchema>();

function say(message: ThreadMessage): void {
  parentPort?.postMessage(message);
}

function schemaOf({ key, schema, isNew, forget }: CheckTask): ReadySchema {
  if (forget) schemas.clear();
  const known = schemas.get(key);
  if (known) return known;
  if (!schema) throw new Error('the schema has not been sent');
  if (isNew) assertWellFormed(schema);
  const ready = new ReadySchema(schema);
  schemas.set(key, ready);
  return ready;
}

function perform(task: CheckTask): void {
  let ready: ReadySchema;
  try {
    ready = schemaOf(task);
    ready.compile();
  } catch (error) {
    schemas.delete(task.key);
    const message = error instanceof Error ? error.message : 'cannot be compiled';
    const [first = { path: '', message }, ...further] = error instanceof MalformedSchemaError ? error.faults : [];
    say({ kind: 'unusable', ...first, further });
    return;
  }
  say({ kind: 'compiled' });
  try {
    say({ kind: 'checked', faults: ready.faultsIn(task.claims) });
  } catch {
    // Too many errors, or the stack is full: the schema refers to itself without end, or an expression went too deep.
    say({ kind: 'overrun' });
  }
}

parentPort?.on('message', perform);
say({ kind: 'ready' });
