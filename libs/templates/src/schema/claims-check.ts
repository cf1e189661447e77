import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { apart } from '@app/primitives/context';
import { createHash } from 'node:crypto';
import { CheckLane } from './check-lane';
import { callerNow } from './fair-queue';
import type { CheckOutcome } from './check-thread';
import { CheckingTime } from './checking-time';
import { inTurn } from './fair-turns';
import { ReadySchema } from './ready-schema';
import { isProportionate, sizeOf, valuesIn } from './schema-cost';
import type { JsonSchema } from './schema-safety';

/** Values of a schema times values of the claims that are checked in the main thread: a millisecond or two. */
const mostWork = 20_000;
/** Values of a schema that is compiled in the main thread, a few milliseconds, and of one that takes a thread long. */
const smallSchema = 120;
const largeSchema = 600;
const mostKept = 500;
/** A schema that took too long may have met a busy machine. */
const slowFor = 60_000;

/**
 * Where claims are checked that can take long. A schema whose check takes too long goes to a lane for such: there it
 * has more time, and the checks of other schemas are rid of it. Large ones, slow to compile, have a lane, too.
 */
const lanes = {
  ordinary: new CheckLane({ threads: 2, longest: 50 }),
  large: new CheckLane({ threads: 1, longest: 50 }),
  slow: new CheckLane({ threads: 1, longest: 250 }),
};

interface KnownSchema {
  readonly key: string;
  readonly schema: JsonSchema;
  /** How many values it holds. */
  readonly values: number;
  /** Whether its checks are in proportion to `values` and the claims. */
  readonly isProportionate: boolean;
  /** When it may leave the lane for slow ones. */
  slowUntil: number;
  /** Whether it can be used; asked once. */
  soundness?: Awaitable<CheckOutcome>;
  /** For this thread. */
  readonly here: ReadySchema;
}

/** By the hash of their text: a schema is compiled once, however many credentials it checks. */
const known = new Map<string, KnownSchema>();

/**
 * Checks claims against a safe schema without holding other requests up: in this thread what is sure to be quick, in
 * others what is not. Throws Problem `claims-not-checked` when the request has no time left, and `unavailable` when too many checks wait.
 */
export function checkClaims(schema: JsonSchema, claims: unknown, time: CheckingTime): Awaitable<CheckOutcome> {
  const one = knownSchema(schema);
  return whenThere(soundnessOf(one), (sound) => {
    if (sound.kind !== 'checked') return sound;
    return isQuick(one, claims) ? inTurn(() => checkHere(one, claims)) : checkInThread(one, claims, time);
  });
}

/** Whether a safe schema can be used: it is well formed, compiles and does not refer to itself without end. */
export function checkSchema(schema: JsonSchema): Awaitable<CheckOutcome> {
  return soundnessOf(knownSchema(schema));
}

/** Ends the threads, and what they are doing. They come back when there is work. */
export async function endCheckThreads(): Promise<void> {
  await Promise.all(Object.values(lanes).map((lane) => lane.end()));
}

async function checkInThread(one: KnownSchema, claims: unknown, time: CheckingTime): Promise<CheckOutcome> {
  const { key, schema, values } = one;
  const check = { key, schema, values, isNew: false, claims };
  if (!isSlow(one)) {
    const outcome = await laneOf(one).run(check, () => time.isLeft && !isSlow(one));
    time.use(outcome?.took ?? 0);
    if (outcome && outcome.kind !== 'overrun') return outcome;
    if (outcome) one.slowUntil = performance.now() + slowFor;
  }
  const outcome = await lanes.slow.run(check, () => time.isLeft);
  time.use(outcome?.took ?? 0);
  if (outcome) return outcome;
  throw time.usedUp();
}

function checkHere(one: KnownSchema, claims: unknown): CheckOutcome {
  return { kind: 'checked', faults: one.here.faultsIn(claims), took: 0 };
}

function soundnessOf(one: KnownSchema): Awaitable<CheckOutcome> {
  if (!one.soundness) {
    const caller = callerNow();
    one.soundness = apart(() => askSoundness(one, caller));
  }
  return one.soundness;
}

async function askSoundness(one: KnownSchema, caller: string): Promise<CheckOutcome> {
  const { key, schema, values } = one;
  try {
    // The empty object shows a schema that refers to itself without end.
    const outcome = await laneOf(one).run({ key, schema, values, isNew: true, claims: {} }, () => true, caller);
    if (outcome && outcome.kind !== 'overrun') {
      one.soundness = outcome;
      return outcome;
    }
    delete one.soundness;
    return { kind: 'overrun', took: 0 };
  } catch (error) {
    delete one.soundness;
    throw error;
  }
}

function laneOf({ values }: KnownSchema): CheckLane {
  return values > largeSchema ? lanes.large : lanes.ordinary;
}

function isQuick({ isProportionate, values }: KnownSchema, claims: unknown): boolean {
  const largest = mostWork / values;
  return isProportionate && values <= smallSchema && sizeOf(claims, largest) <= largest;
}

function isSlow({ slowUntil }: KnownSchema): boolean {
  return slowUntil > performance.now();
}

function knownSchema(schema: JsonSchema): KnownSchema {
  const key = createHash('sha256').update(JSON.stringify(schema)).digest('base64url');
  const before = known.get(key);
  if (before) return before;
  const one = {
    key,
    schema,
    values: valuesIn(schema),
    isProportionate: isProportionate(schema),
    slowUntil: 0,
    here: new ReadySchema(schema),
  };
  if (known.size >= mostKept) {
    const oldest = known.keys().next();
    if (!oldest.done) known.delete(oldest.value);
  }
  known.set(key, one);
  return one;
}
