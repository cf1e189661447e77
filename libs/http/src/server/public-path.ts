import type { IncomingMessage } from 'node:http';

type Next = () => void;

/**
 * Middleware that reduces the request target to the path of a route, so that everything after it reads the same path.
 * Behind a proxy that passes the path of the public URL on, `/base/jwks.json` is read as `/jwks.json` and
 * `/.well-known/<name>/base/openid4vci` as `/.well-known/<name>/openid4vci`; a target in absolute form, which every
 * server must take (RFC 9112 §3.2.2), is read as its path. A fragment, which no target may have (§3.2), is removed: the router
 * reads backslashes as slashes where there is one, and nothing else does.
 * @param path of the public URL, empty or beginning with a slash
 */
export function publicPath(path: string) {
  return (request: IncomingMessage, _response: unknown, next: Next): void => {
    const [url = '/'] = originForm(request.url ?? '/').split('#', 1);
    request.url = path === '' ? url : withoutBase(url, path);
    next();
  };
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
