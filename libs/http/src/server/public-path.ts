import { inTenant, type Tenant } from '@app/primitives/context';
import type { IncomingMessage } from 'node:http';
import { noteTenant } from '../context/request-context';

type Next = (error?: unknown) => void;

/** Finds the tenant of an address; `undefined` for an id that nobody has. */
export type FindTenant = (id: string) => Promise<Tenant | undefined> | Tenant | undefined;

/** Whoever knows the tenants of this application; nobody where there are none. */
export class TenantAddresses {
  private find: FindTenant = () => undefined;

  /** Says from now on whose an address is. */
  knownBy(find: FindTenant): void {
    this.find = find;
  }

  readonly byId: FindTenant = (id) => this.find(id);
}

/** Where the addresses of tenants without a host of their own begin, behind the path of the public URL. */
const ofTenants = '/t/';

/**
 * Middleware that reduces the request target to the path of a route, so that everything after it reads the same path.
 * Behind a proxy that passes the path of the public URL on, `/base/jwks.json` is read as `/jwks.json` and
 * `/.well-known/<name>/base/openid4vci` as `/.well-known/<name>/openid4vci`; a target in absolute form, which every
 * server must take (RFC 9112 §3.2.2), is read as its path. A fragment, which no target may have (§3.2), is removed: the router
 * reads backslashes as slashes where there is one, and nothing else does.
 * What comes after it is done in the name of the tenant whose address it is.
 * @param path of the public URL, empty or beginning with a slash
 */
export function publicPath(path: string, find: FindTenant) {
  return (request: IncomingMessage, _response: unknown, next: Next): void => {
    const [target = '/'] = originForm(request.url ?? '/').split('#', 1);
    const url = path === '' ? target : withoutBase(target, path);
    request.url = url;
    const id = tenantIn(url);
    if (id === undefined) {
      next();
      return;
    }
    const enter = (tenant: Tenant | undefined): void => {
      // The address of a tenant that is not there is one that nobody has.
      if (tenant === undefined) {
        next();
        return;
      }
      request.url = withoutBase(url, ofTenants + id);
      noteTenant(tenant.id);
      inTenant(tenant, next);
    };
    const found = find(id);
    if (found instanceof Promise) found.then(enter, next);
    else enter(found);
  };
}

/** The segment behind `/t/`, also in the addresses of well-known documents (RFC 8615). */
function tenantIn(url: string): string | undefined {
  if (!url.includes(ofTenants)) return undefined;
  return /^(?:\/\.well-known\/[^/?]+)?\/t\/([a-z0-9][a-z0-9-]*)(?=[/?]|$)/.exec(url)?.[1];
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
