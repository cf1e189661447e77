import type { IncomingMessage, ServerResponse } from 'node:http';

export type RouteHandler = (request: IncomingMessage, response: ServerResponse, next: () => void) => unknown;

interface Route {
  readonly path: string;
  readonly segments: readonly string[];
  readonly handler: RouteHandler;
}

/** A route, and what its path says about the request. */
export interface Found extends Pick<Route, 'path' | 'handler'> {
  readonly params: Readonly<Record<string, string>>;
}

/** A value that needs no decoding. */
const plain = /^[\w.~-]+$/;

/**
 * The routes that a map finds, without trying one after the other: those with a fixed path, and those whose last segment
 * alone is a parameter. Every other route, and every spelling of a path but the plain one, is left to the router.
 */
export class DirectRoutes {
  /** In the order of the router, where the first that matches answers. */
  private readonly all = new Map<string, Route[]>();
  private readonly fixed = new Map<string, Route>();
  /** By everything before the parameter. */
  private readonly ending = new Map<string, Route & { readonly parameter: string }>();

  /** Takes note of a route of the router. */
  add(method: string, path: string, handler: RouteHandler): void {
    const segments = path.split('/');
    const route = { path, segments, handler };
    const earlier = this.all.get(method) ?? [];
    this.all.set(method, [...earlier, route]);
    // Fixed paths are looked up first anyway.
    if (earlier.some((other) => overlap(other.segments, segments) && !this.fixed.has(`${method} ${other.path}`)))
      return;
    const last = segments.at(-1) ?? '';
    const before = segments.slice(0, -1);
    if (!before.every(isFixed)) return;
    if (isFixed(last)) this.fixed.set(`${method} ${path}`, route);
    else if (isParameter(last)) {
      this.ending.set(`${method} ${before.join('/')}/`, { ...route, parameter: last.slice(1) });
    }
  }

  /** @param url path and query of a request */
  find(method: string, url: string): Found | undefined {
    const end = url.indexOf('?');
    const path = end === -1 ? url : url.slice(0, end);
    const fixed = this.fixed.get(`${method} ${path}`);
    if (fixed) return { path: fixed.path, handler: fixed.handler, params: {} };
    const last = path.lastIndexOf('/') + 1;
    const value = path.slice(last);
    const route = this.ending.get(`${method} ${path.slice(0, last)}`);
    return route && plain.test(value)
      ? { path: route.path, handler: route.handler, params: { [route.parameter]: value } }
      : undefined;
  }
}

function isParameter(segment: string): boolean {
  return /^:\w+$/.test(segment);
}

function isFixed(segment: string): boolean {
  return segment === '' || plain.test(segment);
}

/** Whether one path could be meant by both; what is more than a parameter may match anything. */
function overlap(one: readonly string[], other: readonly string[]): boolean {
  const parts = [...one, ...other];
  if (!parts.every((part) => isFixed(part) || isParameter(part))) return true;
  return (
    one.length === other.length &&
    one.every((part, index) => part === other[index] || isParameter(part) || isParameter(other[index] ?? ''))
  );
}
