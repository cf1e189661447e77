import { AsyncResource } from 'node:async_hooks';
import { inPresentName } from './tenant';

const outside = new AsyncResource('apart');

/**
 * Starts what is kept for longer than the request it is started in: a promise that others wait for as well, a timer, a connection, a
 * thread. Made in the request it would keep its context, and with it the data of a person, as long as itself. It is still done in the name of
 * the tenant.
 */
export function apart<T>(start: () => T): T {
  return inPresentName((work) => outside.runInAsyncScope(work), start);
}
