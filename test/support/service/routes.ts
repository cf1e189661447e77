import { declaredRoutes, accessDecisionOf, type AccessDecision, type Audience } from '@app/http';
import type { INestApplication, Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';

interface Layer {
  readonly name: string;
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
  readonly handle: object;
}

/** One route that the running application answers to. */
export interface ServedRoute {
  /** `GET /v0/offers/:offerId` */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** Undefined for a route without one, or without a controller. */
  readonly decision: AccessDecision | undefined;
}

/** For whom a route is; undefined when that is not decided. */
export function audienceOf({ decision }: ServedRoute): Audience | undefined {
  return decision && decision.kind !== 'public' ? 'management' : decision?.audience;
}

/** Every route of Express's router, however it was registered, with the access rule of its Nest handler. */
export function servedRoutes(app: INestApplication): ServedRoute[] {
  const express = app.getHttpAdapter().getInstance() as { readonly router: { readonly stack: readonly Layer[] } };
  const decisions = declaredDecisions(app);
  return express.router.stack.flatMap((layer) => {
    // A router inside the router would hide its routes.
    if (!layer.route) return 'stack' in layer.handle ? [undecided('ALL', `(router ${layer.name})`)] : [];
    const { path, methods } = layer.route;
    return Object.keys(methods).map((method): ServedRoute => {
      const route = undecided(method.toUpperCase(), path);
      return { ...route, decision: decisions.get(route.name) };
    });
  });
}

function undecided(method: string, path: string): ServedRoute {
  return { name: `${method} ${path}`, method, path, decision: undefined };
}

function declaredDecisions(app: INestApplication): Map<string, AccessDecision | undefined> {
  const controllers = [...app.get(ModulesContainer).values()]
    .flatMap((module) => [...module.controllers.values()])
    .map(({ metatype }) => metatype)
    .filter((metatype) => typeof metatype === 'function');
  return new Map(
    controllers
      .flatMap((controller) => declaredRoutes(controller as Type<object>))
      .map(({ controller, handler, method, path }) => [`${method} ${path}`, accessDecisionOf(handler, controller)]),
  );
}
