import { attempt, type Awaitable } from '../awaitable';
import { types } from 'node:util';

/** What a refusal is about. Identifiers and versions, never a claim, a code or another value of a request. */
export interface Concern {
  readonly template?: string | undefined;
  readonly configuration?: string | undefined;
  /** Version of the template's content, which holds the schema. */
  readonly schemaVersion?: number | undefined;
}

/** What a developer sees of a refusal in addition to the refusal. */
export interface RefusalDebug extends Concern {
  /** Where it was decided: function (where it has a name) and file, the innermost first, three at most. */
  readonly check: readonly string[];
}

const concerns = new WeakMap<Error, Concern>();

/** Does the work; an error with which it fails is known to be about the template or configuration from then on. Rejects with it. */
export function concerning<Done>(concern: Concern, work: () => Awaitable<Done>): Awaitable<Done> {
  const done = attempt(work);
  if (!types.isPromise(done)) return done;
  return done.catch((error: unknown) => {
    if (error instanceof Error) concerns.set(error, { ...concern, ...concerns.get(error) });
    throw error;
  });
}

/** What the error that was thrown, or one of its causes, is about. */
export function concernIn(exception: unknown): Concern {
  return withCauses(exception).reduce<Concern>((known, error) => ({ ...known, ...concerns.get(error) }), {});
}

/** What is known of a refusal, taken from the error that was thrown and from its causes. */
export function debugOf(exception: unknown): RefusalDebug {
  const errors = withCauses(exception);
  const about = concernIn(exception);
  const places = errors.map(placesOf).filter((found) => found.length > 0);
  return { check: places.at(-1) ?? [], ...about };
}

function withCauses(exception: unknown): Error[] {
  const errors: Error[] = [];
  for (let error = exception; error instanceof Error && !errors.includes(error); error = error.cause)
    errors.push(error);
  return errors;
}

const mostPlaces = 3;
/** Where functions make problems for those who decide. */
const factory = 'libs/primitives/src/problems/problem';
const frame = /^ +at (?:async )?(?:(?:Object\.)?(\S+) \()?\S*[/\\]((?:libs|apps)[/\\][^:]+)\.[jt]s:\d+:\d+\)?$/;

/** The frames of the stack that are code of this product and no constructor of an error. */
function placesOf({ stack = '' }: Error): string[] {
  const places: string[] = [];
  for (const line of stack.split('\n')) {
    const [, name, file] = frame.exec(line) ?? [];
    const isOurs = file !== undefined && file !== factory && !line.includes('node_modules');
    if (isOurs) places.push(name === undefined ? file : `${name} (${file})`);
  }
  return places.slice(0, mostPlaces);
}
