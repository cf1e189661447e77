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

/** Where the segments of a path have led to. */
interface Place {
  readonly next: Map<string, Place>;
  parameter?: Place;
  route?: Route;
}

/** A segment that needs no decoding. */
const plain = /^[\w.~-]*$/;

/**
 * The routes that are found segment by segment, without trying one after the other. What an earlier route could take as
 * well, and every spelling of a path but the plain one, is left to the router.
 */
export class DirectRoutes {
  /** By method, in the order of the router, where the first that matches answers. */
  private readonly all = new Map<string, Route[]>();
  /** By method. */
  private readonly roots = new Map<string, Place>();

  /** Takes note of a route of the router. */
  add(method: string, path: string, handler: RouteHandler): void {
    const route = { path, segments: path.split('/'), handler };
    const earlier = this.all.get(method) ?? [];
    this.all.set(method, [...earlier, route]);
    if (!route.segments.every(isKnown) || earlier.some((other) => comesFirst(other.segments, route.segments))) return;
    const root = this.roots.get(method) ?? newPlace();
    this.roots.set(method, root);
    placeOf(root, route.segments).route = route;
  }

  /** @param url path and query of a request */
  find(method: string, url: string): Found | undefined {
    const end = url.indexOf('?');
    const segments = (end === -1 ? url : url.slice(0, end)).split('/');
    let place = this.roots.get(method);
    for (const segment of segments) {
      place = place?.next.get(segment) ?? (segment !== '' && plain.test(segment) ? place?.parameter : undefined);
      if (!place) return undefined;
    }
    const route = place?.route;
    return route && { path: route.path, handler: route.handler, params: valuesOf(route, segments) };
  }
}

function newPlace(): Place {
  return { next: new Map() };
}

/** Where these segments lead to; made on the way. */
function placeOf(root: Place, segments: readonly string[]): Place {
  return segments.reduce((place, segment) => {
    if (isParameter(segment)) return (place.parameter ??= newPlace());
    const next = place.next.get(segment) ?? newPlace();
    place.next.set(segment, next);
    return next;
  }, root);
}

function valuesOf({ segments }: Route, given: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  segments.forEach((segment, index) => {
    if (isParameter(segment)) params[segment.slice(1)] = given[index] ?? '';
  });
  return params;
}

function isParameter(segment: string): boolean {
  return segment.startsWith(':');
}

function isKnown(segment: string): boolean {
  return plain.test(segment) || /^:\w+$/.test(segment);
}

/** Whether an earlier route takes a path that would be looked up as one of a later route. */
function comesFirst(earlier: readonly string[], later: readonly string[]): boolean {
  // What is more than a parameter may match anything.
  if (!earlier.every(isKnown)) return true;
  if (earlier.length !== later.length) return false;
  const differing = earlier.flatMap((segment, index) =>
    segment === later[index] ? [] : [[segment, later[index] ?? '']],
  );
  if (!differing.every((pair) => pair.some(isParameter))) return false;
  // A fixed segment is looked up before a parameter, and leads to the earlier route.
  const [[first = ''] = []] = differing;
  return isParameter(first) || differing.length === 0;
}
