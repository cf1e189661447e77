import type { Awaitable } from '@app/primitives/awaitable';
import { inTenant, type Tenant } from '@app/primitives/context';
import type { IncomingMessage } from 'node:http';
import type { Audience } from '../context/access-decision';
import { noteTenant } from '../context/request-context';
import { standingOfTenant } from '../context/tenant-standing';
import { calledHosts, canonicalHost, mayBeOfTenant } from './called-host';

type Next = (error?: unknown) => void;

/** Where a tenant with a host of its own is. */
export interface OwnAddress {
  readonly tenantId: string;
  /** Of its public URL: empty, or beginning with a slash. */
  readonly path: string;
}

/** Who has which addresses. Promises reject when the database is away. */
export interface AddressBook {
  /** `undefined` for an id that nobody has. */
  byId(id: string): Awaitable<Tenant | undefined>;
  /** Those of one host, the longest path first; `undefined` for one that no tenant has. @param host as `canonicalHost` has it */
  atHost(host: string): Awaitable<readonly OwnAddress[] | undefined>;
}

/** Whoever knows the tenants of this application; nobody where there are none. */
export class TenantAddresses implements AddressBook {
  private book: AddressBook = { byId: () => undefined, atHost: () => undefined };

  /** Says from now on whose an address is. */
  knownBy(book: AddressBook): void {
    this.book = book;
  }

  byId(id: string): Awaitable<Tenant | undefined> {
    return this.book.byId(id);
  }

  atHost(host: string): Awaitable<readonly OwnAddress[] | undefined> {
    return this.book.atHost(host);
  }
}

/** Where the addresses of tenants without a host of their own begin, behind the path of the public URL. */
const ofTenants = '/t/';
/** What is not served under a host is treated like a route that does not exist. */
const nowhere = '/nowhere';
const probes: readonly string[] = ['/livez', '/readyz'];

/**
 * Middleware that reduces the request target to the path of a route, so that everything after it reads the same path.
 * Behind a proxy that passes the path of the public URL on, `/base/jwks.json` is read as `/jwks.json` and
 * `/.well-known/<name>/base/openid4vci` as `/.well-known/<name>/openid4vci`; a target in absolute form, which every
 * server must take (RFC 9112 §3.2.2), is read as its path. A fragment, which no target may have (§3.2), is removed: the router
 * reads backslashes as slashes where there is one, and nothing else does.
 * What comes after it is done in the name of the tenant whose address it is: by the host of the request, where that is of tenants,
 * else by `/t/{id}`. Under a host of tenants there is nothing else.
 * @param publicUrl of the service, without a slash at the end
 * @param audienceOf a path: what is for wallets and people is, of a tenant with an own host, below its own URL alone
 */
export function publicPath(
  publicUrl: string,
  addresses: AddressBook,
  audienceOf: (path: string) => Audience | undefined,
) {
  const { host, pathname } = new URL(publicUrl);
  const base = pathname.replace(/\/+$/, '');
  const own = canonicalHost(host);

  function byPath(request: IncomingMessage, url: string, next: Next): void {
    const path = base === '' ? url : withoutBase(url, base);
    request.url = path;
    const id = tenantIn(path);
    if (id === undefined) {
      next();
      return;
    }
    goOn(addresses.byId(id), next, (tenant) => {
      // The address of a tenant that is not there is one that nobody has.
      if (tenant === undefined) {
        next();
        return;
      }
      const below = withoutBase(path, ofTenants + id);
      const audience = standingOfTenant(tenant)?.hasOwnUrl ? audienceOf(below) : undefined;
      if (audience === 'wallets' || audience === 'people') leadNowhere(request, next);
      else enter(request, tenant, below, next);
    });
  }

  function byHost(request: IncomingMessage, url: string, found: readonly OwnAddress[], next: Next): void {
    const place = found.find(({ path }) => path === '' || withoutBase(url, path) !== url);
    if (place === undefined) {
      leadNowhere(request, next);
      return;
    }
    goOn(addresses.byId(place.tenantId), next, (tenant) => {
      if (tenant === undefined) leadNowhere(request, next);
      else enter(request, tenant, place.path === '' ? url : withoutBase(url, place.path), next);
    });
  }

  return (request: IncomingMessage, _response: unknown, next: Next): void => {
    const target = request.url ?? '/';
    const [url = '/'] = originForm(target).split('#', 1);
    // Nearly always.
    const isOwn = request.headers.host === host && target.startsWith('/');
    if (isOwn || probes.includes(url)) {
      byPath(request, url, next);
      return;
    }
    goOn(ownAddresses(calledHosts(request), own, addresses), next, (found) => {
      if (found === undefined) byPath(request, url, next);
      else byHost(request, url, found, next);
    });
  };
}

function enter(request: IncomingMessage, tenant: Tenant, path: string, next: Next): void {
  request.url = path;
  enterTenant(tenant, next);
}

/** Has the rest of the request be done in the name of a tenant. */
export function enterTenant(tenant: Tenant, next: () => void): void {
  noteTenant(tenant.id);
  inTenant(tenant, next);
}

function leadNowhere(request: IncomingMessage, next: Next): void {
  request.url = nowhere;
  next();
}

/** Those of the first host that tenants have, or of none; the service's own host is never asked for. */
function ownAddresses(
  [called, ...others]: readonly string[],
  own: string | undefined,
  addresses: AddressBook,
): Awaitable<readonly OwnAddress[] | undefined> {
  const host = called === undefined ? undefined : canonicalHost(called);
  if (host !== undefined && host === own) return undefined;
  const further = (): Awaitable<readonly OwnAddress[] | undefined> =>
    others.length === 0 ? undefined : ownAddresses(others, own, addresses);
  if (host === undefined || !mayBeOfTenant(host)) return further();
  const found = addresses.atHost(host);
  return found instanceof Promise ? found.then((there) => there ?? further()) : (found ?? further());
}

function goOn<T>(value: Awaitable<T>, next: Next, then: (value: T) => void): void {
  if (value instanceof Promise) value.then(then, next);
  else then(value);
}

/** The segment behind `/t/`, where it may be an id, also in the addresses of well-known documents (RFC 8615). */
function tenantIn(url: string): string | undefined {
  if (!url.includes(ofTenants)) return undefined;
  return /^(?:\/\.well-known\/[^/?]+)?\/t\/([a-z0-9][a-z0-9-]{1,38})(?=[/?]|$)/.exec(url)?.[1];
}

function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const [, path = ''] = /^https?:\/\/[^/?#\\]+([^]*)$/i.exec(target) ?? [];
  // Anything else (`*`, an authority, or what a lenient parser might take for a path) has no route.
  return path.startsWith('/') ? path : '/';
}

function withoutBase(url: string, path: string): string {
  if (url === path || url.startsWith(`${path}/`)) return url.slice(path.length) || '/';
  const wellKnown = /^\/\.well-known\/[^/?]+/.exec(url)?.[0];
  if (wellKnown === undefined || !url.startsWith(`${wellKnown}${path}/`)) return url;
  return wellKnown + url.slice(wellKnown.length + path.length);
}
