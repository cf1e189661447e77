import { closestOf } from '@app/primitives/json';
import type { INestApplication, Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { type AccessDecision, accessDecisionOf, type Audience } from '../context/access-decision';
import { type BodyLimitName, bodyLimits, declaredBodyLimit } from '../body/body-limits';
import { type DeclaredRoute, declaredRoutes } from './declared-routes';
import type { BodyLimit } from '../body/raw-body';
import { isParameter, SegmentTree } from './segment-tree';

interface Route {
  readonly method: string;
  readonly path: string;
  readonly segments: readonly string[];
}

/** What the routes of the controllers say about a path before a router has read it; filled once they are known. */
export class RouteTable {
  private readonly routes = new SegmentTree<Route>();
  private readonly audiences = new Map<string, Audience>();
  private readonly guarded = new Set<string>();
  /** Of routes with another limit than their audience's, by what stands before their first parameter. */
  private readonly limits = new Map<string, BodyLimitName>();

  /** The methods that an address has; none when there is no such address. */
  readonly methodsOf = (path: string): readonly string[] => {
    return [...new Set(this.matching(path).map(({ method }) => method))].sort();
  };

  /** `/v0/offers/:offerId` for the path of an offer; `undefined` when no route has it with this method. */
  readonly templateOf = (method: string, path: string): string | undefined => {
    const verb = method === 'HEAD' ? 'GET' : method;
    return this.matching(path).find((route) => route.method === verb)?.path;
  };

  /**
   * The address that a caller may have meant by one that does not exist.
   * @param method that it has; any when absent
   */
  readonly closestTo = (path: string, method?: string): string | undefined => {
    const versioned = `/v0${path}`;
    const exact = this.matching(versioned).some((route) => route.method === (method ?? route.method));
    return exact ? versioned : this.nearestTo(path, method);
  };

  private nearestTo(path: string, method?: string): string | undefined {
    const asked = segmentsOf(path);
    const isNear = (segment: string, index: number): boolean =>
      isParameter(segment) || closestOf(asked[index] ?? '', [segment]) !== undefined;
    const paths = this.routes.all.flatMap(({ segments, method: verb }) => {
      if (verb !== (method ?? verb) || segments.length !== asked.length || !segments.every(isNear)) return [];
      return `/${segments.map((segment, index) => (isParameter(segment) ? asked[index] : segment)).join('/')}`;
    });
    const [first, ...others] = new Set(paths);
    return others.length === 0 ? first : closestOf(path, paths);
  }

  /**
   * For whom an address is, by its first segment.
   * @param path of a request, with or without its query, or of a route
   * @returns undefined for an address that no controller has
   */
  readonly audienceOf = (path: string): Audience | undefined => this.audiences.get(firstSegment(path));

  /** Whether the caller has to be known, regardless of the case of the address. */
  readonly needsCaller = (path: string): boolean => this.guarded.has(firstSegment(path).toLowerCase());

  readonly bodyLimitOf = (path: string): BodyLimit => bodyLimits[this.limitOf(path)];

  /** Milliseconds in which a request is answered, by its path. */
  budgetOf(requestSeconds: number): (path: string) => number {
    // The answer takes a moment to get out.
    const budget = 0.95 * requestSeconds * 1000;
    return (path) => {
      const limit = bodyLimits[this.limitOf(path)];
      return ('patience' in limit ? limit.patience : 1) * budget;
    };
  }

  /** Throws when a first segment is for two audiences. */
  read(app: INestApplication): void {
    const modules = [...app.get(ModulesContainer).values()];
    const controllers = modules.flatMap((module) => [...module.controllers.values()]);
    for (const { metatype } of controllers) this.add(metatype as Type<object>);
  }

  private add(controller: Type<object>): void {
    for (const route of declaredRoutes(controller)) {
      const first = firstSegment(route.path);
      const segments = segmentsOf(route.path);
      this.routes.add(segments, { method: route.method, path: route.path, segments });
      const decision = accessDecisionOf(route.handler, controller);
      if (decision) this.decide(first, decision);
      const limit = declaredBodyLimit(route.handler) ?? declaredBodyLimit(controller);
      if (limit) this.limits.set(beforeParameters(route), limit);
    }
  }

  private decide(first: string, decision: AccessDecision): void {
    const audience = decision.kind === 'public' ? decision.audience : 'management';
    const before = this.audiences.get(first) ?? audience;
    if (before !== audience) throw new Error(`The addresses below /${first} are for two audiences.`);
    this.audiences.set(first, audience);
    if (decision.kind !== 'public') this.guarded.add(first.toLowerCase());
  }

  private limitOf(path: string): BodyLimitName {
    for (const [prefix, name] of this.limits) {
      // A file is sent to an address of its own, below which are others.
      if (path.startsWith(prefix) && (name !== 'file' || path[prefix.length] !== '/')) return name;
    }
    return this.audienceOf(path) === 'management' ? 'management' : 'wallet';
  }

  private matching(path: string): Route[] {
    return this.routes.matching(segmentsOf(path), isValue);
  }
}

function firstSegment(path: string): string {
  const end = path.slice(1).search(/[/?#]/);
  return end === -1 ? path.slice(1) : path.slice(1, end + 1);
}

/** A slash at the end does not count. */
function segmentsOf(path: string): readonly string[] {
  return path.slice(1).replace(/\/$/, '').split('/');
}

/** What a router takes for a parameter: something, whose percent encoding is not broken. */
function isValue(segment: string): boolean {
  try {
    return decodeURIComponent(segment) !== '';
  } catch {
    return false;
  }
}

function beforeParameters({ path }: DeclaredRoute): string {
  return path.split(':', 1)[0] ?? path;
}
