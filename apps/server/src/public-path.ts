import type { IncomingMessage } from 'node:http';

type Next = () => void;

/**
 * Middleware for a public URL with a path, behind a proxy that passes the path on: `/base/jwks.json` is read as
 * `/jwks.json`, `/.well-known/<name>/base/openid4vci` as `/.well-known/<name>/openid4vci`.
 * @param path of the public URL, empty or beginning with a slash
 */
export function publicPath(path: string) {
  return (request: IncomingMessage, _response: unknown, next: Next): void => {
    if (path !== '' && request.url !== undefined) request.url = withoutBase(request.url, path);
    next();
  };
}

function withoutBase(url: string, path: string): string {
  if (url === path || url.startsWith(`${path}/`)) return url.slice(path.length) || '/';
  const wellKnown = /^\/\.well-known\/[^/?]+/.exec(url)?.[0];
  if (wellKnown === undefined || !url.startsWith(`${wellKnown}${path}/`)) return url;
  return wellKnown + url.slice(wellKnown.length + path.length);
}
