import { types } from 'node:util';

/** What is there already, or will be. */
export type Awaitable<T> = T | Promise<T>;

/** Goes on with a value, at once where it is there: no promise is made then. Throws, or rejects with, what `next` throws. */
export function whenThere<T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> {
  return types.isPromise(value) ? value.then(next) : next(value);
}

/** Does the work; what it throws comes as a rejection. */
export function attempt<T>(work: () => Awaitable<T>): Awaitable<T> {
  try {
    return work();
  } catch (error) {
    const failure = error as Error;
    return Promise.reject(failure);
  }
}

/** As `Promise.all`, at once where all are there. */
export function allThere<T>(values: readonly Awaitable<T>[]): Awaitable<T[]> {
  if (!values.some((value) => types.isPromise(value))) return values as T[];
  const [first, ...others] = values;
  return others.length > 0 ? Promise.all(values) : whenThere(first as Awaitable<T>, (one) => [one]);
}

/** Does the work for each, so many at a time, begun in their order. Rejects with the first failure. */
export async function inLanes<T>(
  items: Iterable<T>,
  lanes: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const waiting = [...items].values();
  const lane = async (): Promise<void> => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
