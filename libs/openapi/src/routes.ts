import { accessDecisionOf, type Scope } from '@app/web';
import type { Type } from '@nestjs/common';
import { auditActionOf } from '@app/access';
import { bodyClassOf, controllersOf, declaredPaths, declaredVerb, isIdempotent } from '@app/http';

/** One operation of a controller, as the framework's decorators declare it. */
export interface Route {
  readonly controller: Type<object>;
  /** The name of the method in the class. */
  readonly name: string;
  /** In lower case, as OpenAPI writes it. */
  readonly method: string;
  /** With parameters in braces: `/v0/offers/{offerId}`. */
  readonly path: string;
  /** The class of the body, when the method takes one. */
  readonly body: Type<object> | undefined;
  readonly idempotent: boolean;
  /** What a caller needs. */
  readonly scope: Scope;
  /** Its name in the audit. */
  readonly auditAction: string;
}

/** The operations under `/v0` of some modules, in the order of the code. Throws when one is open to strangers. */
export function managementRoutes(modules: readonly Type<object>[]): Route[] {
  return modules
    .flatMap(controllersOf)
    .filter((controller) => /^\/?v0\//.test(pathOf(controller)))
    .flatMap(routesOf);
}

function routesOf(controller: Type<object>): Route[] {
  const prototype = controller.prototype as Record<string, unknown>;
  return Object.getOwnPropertyNames(prototype).flatMap((name): Route[] => {
    const handler = prototype[name];
    if (typeof handler !== 'function') return [];
    const verb = declaredVerb(handler);
    if (verb === undefined) return [];
    const path = `/${pathOf(controller)}/${pathOf(handler)}`.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
    return [
      {
        controller,
        name,
        method: verb.toLowerCase(),
        path: path.replace(/:(\w+)/g, '{$1}'),
        body: bodyClassOf(controller, name),
        idempotent: isIdempotent(handler),
        scope: scopeOf(handler, controller),
        auditAction: auditActionOf(controller, handler) ?? '',
      },
    ];
  });
}

function scopeOf(handler: object, controller: Type<object>): Scope {
  const decision = accessDecisionOf(handler, controller);
  if (decision?.kind !== 'scope') throw new Error(`${controller.name} has an operation that wants no scope.`);
  return decision.scope;
}

function pathOf(target: object): string {
  return declaredPaths(target)[0] ?? '';
}
