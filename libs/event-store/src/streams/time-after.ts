import type { Loaded } from './aggregate';

/**
 * The time of what happens to a stream after it was read, by the database's clock: not before what the stream records, which
 * a writer may have stamped a moment ahead of that clock.
 */
export function timeAfter({ now, updatedAt }: Pick<Loaded<unknown>, 'now' | 'updatedAt'>): Date {
  return updatedAt !== undefined && updatedAt > now ? updatedAt : now;
}
