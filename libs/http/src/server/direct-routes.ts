import type { IncomingMessage, ServerResponse } from 'node:http';
import { isParameter, SegmentTree } from './segment-tree';

export type RouteHandler = (request: IncomingMessage, response: ServerResponse, next: () => void) => unknown;

interface Route {
  readonly path: string;
  readonly segments: readonly string[];
  readonly handler: RouteHandler;
}

/** A route, and what its path says about the request. */
export interface FoundRoute extends Pick<Route, 'path' | 'handler'> {
  readonly params: Readonly<Record<string, string>>;
}

/** A segment that needs no decoding. */
const plain = /^[\w.~-]*$/;

/**
 * The routes that are found segment by segment, without trying one after the other. What an earlier route could take as
 * well, where that is more than fixed segments and parameters, and every spelling of a path but the plain one, is left to the router.
 */
export class DirectRoutes {
  /** By method, in the order of the router, where the first that matches answers. */
  private readonly trees = new Map<string, SegmentTree<Route>>();
  /** The methods of which a route may match anything: what comes later is the router's. */
  private readonly ended = new Set<string>();

  /** Takes note of a route of the router. */
  add(method: string, path: string, handler: RouteHandler): void {
    const segments = path.split('/');
    if (!segments.every(isKnown)) this.ended.add(method);
    if (this.ended.has(method)) return;
    const tree = this.trees.get(method) ?? new SegmentTree();
    this.trees.set(method, tree);
    tree.add(segments, { path, segments, handler });
  }

  /** @param url path and query of a request */
  find(method: string, url: string): FoundRoute | undefined {
    const end = url.indexOf('?');
    const segments = (end === -1 ? url : url.slice(0, end)).split('/');
    const [route] = this.trees.get(method)?.matching(segments, isValue) ?? [];
    return route && { path: route.path, handler: route.handler, params: valuesOf(route, segments) };
  }
}

function valuesOf({ segments }: Route, given: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  segments.forEach((segment, index) => {
    if (isParameter(segment)) params[segment.slice(1)] = given[index] ?? '';
  });
  return params;
}

function isValue(segment: string): boolean {
  return segment !== '' && plain.test(segment);
}

function isKnown(segment: string): boolean {
  return plain.test(segment) || /^:\w+$/.test(segment);
}
