import type { Operation } from './operation';

export const contractKey = 'sealwright:contract';

/** The operation that a controller's method implements; `undefined` outside of the management API. */
export function contractOf(method: object): Operation | undefined {
  return Reflect.getMetadata(contractKey, method) as Operation | undefined;
}
