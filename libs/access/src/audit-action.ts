import { declaredPaths } from '@app/http';

const found = new WeakMap<object, string>();

/**
 * The name that an operation has in the audit: the path of its controller and the name of its method, `offers.withdraw`.
 * @returns undefined outside of the management API
 */
export function auditActionOf(controller: object, handler: Pick<CallableFunction, 'name'>): string | undefined {
  const known = found.get(handler);
  if (known !== undefined) return known;
  const [path = ''] = declaredPaths(controller).map((one) => one.replace(/^\//, ''));
  if (!path.startsWith('v0/')) return undefined;
  const action = [...path.split('/').slice(1), handler.name].join('.');
  found.set(handler, action);
  return action;
}
