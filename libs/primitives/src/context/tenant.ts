import { AsyncLocalStorage } from 'node:async_hooks';

/** Of the ids of tenants. In addresses, so none needs encoding nor looks like a file. */
export const tenantIdPattern = '^[a-z0-9][a-z0-9-]{1,38}$';

/**
 * One of the issuers that share a deployment. The one that the settings describe is none of them: its requests, and the work of the
 * service itself, run outside of any.
 */
export interface Tenant {
  /** As portals and operators call it, and as it is in the addresses of those without a host of their own. */
  readonly id: string;
  /** What its streams, keys and used values are named with in the store: 8 lower-case letters and digits, never used twice. */
  readonly mark: string;
  /** The store that has what is of it; absent for the first one, which has the tenants themselves. */
  readonly store?: string;
  /** What `perTenant` has made for it. */
  readonly made: Map<object, object>;
}

const current = new AsyncLocalStorage<Tenant | undefined>();

/** In whose name the present work is done; `undefined` for the issuer of the settings, and for the service itself. */
export function currentTenant(): Tenant | undefined {
  const tenant = current.getStore();
  return tenant?.mark === '' ? undefined : tenant;
}

/** The mark of the tenant in whose name the present work is done; empty for the issuer of the settings, and for the service itself. */
export function currentMark(): string {
  return current.getStore()?.mark ?? '';
}

/** The store that the present work is about; `undefined` for the first one. */
export function currentStore(): string | undefined {
  return current.getStore()?.store;
}

/** Does work in the name of a tenant, or of none. */
export function inTenant<T>(tenant: Tenant | undefined, work: () => T): T {
  return tenant === current.getStore() ? work() : current.run(tenant, work);
}

/** Does work of the service itself at one of its stores. */
export function atStore<T>(store: string | undefined, work: () => T): T {
  return current.run(store === undefined ? undefined : { id: '', mark: '', store, made: new Map() }, work);
}

/** Does what outlives its request as `apart` does, in the name of whom it is done for at present. */
export function inPresentName<T>(run: (start: () => T) => T, start: () => T): T {
  const present = current.getStore();
  return run(() => (present === current.getStore() ? start() : current.run(present, start)));
}

/** The name that something has in the store: of a tenant another one than of all others. @param name without `~` and `-` */
export function ofTenant(name: string): string {
  const tenant = currentTenant();
  return tenant === undefined ? name : `${name}~${tenant.mark}`;
}

/**
 * An object that is another one for each tenant: what is read or called is that of the tenant at hand. Whoever gets it injected
 * need not know of tenants, and must not keep what it read.
 * @param own of the issuer of the settings
 * @param make is called in the name of the tenant, at the first use
 */
export function perTenant<T extends object>(own: T, make: (tenant: Tenant) => T): T {
  const key = {};
  const methods = new WeakMap<object, Map<PropertyKey, { readonly of: unknown; readonly bound: unknown }>>();
  const present = (): T => {
    const tenant = currentTenant();
    if (tenant === undefined) return own;
    const made = tenant.made.get(key) as T | undefined;
    if (made !== undefined) return made;
    const fresh = make(tenant);
    tenant.made.set(key, fresh);
    return fresh;
  };
  return new Proxy(own, {
    get(_, name) {
      const instance = present();
      const member: unknown = Reflect.get(instance, name, instance);
      if (typeof member !== 'function' || name === 'constructor') return member;
      const known = methods.get(instance) ?? new Map<PropertyKey, { of: unknown; bound: unknown }>();
      methods.set(instance, known);
      const before = known.get(name);
      if (before?.of === member) return before.bound;
      // Members that are private to the engine are found on the object itself alone.
      // A function may have members of its own.
      const bound: unknown = Object.assign(member.bind(instance) as object, member);
      known.set(name, { of: member, bound });
      return bound;
    },
    has: (_, name) => Reflect.has(present(), name),
    set: (_, name, value) => Reflect.set(present(), name, value),
  });
}
