import {
  type ArgumentsHost,
  type ExceptionFilter,
  type INestApplication,
  NotFoundException,
  SetMetadata,
  type Type,
} from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { types } from 'node:util';
import { unstorable } from '../body/storable';
import {
  argumentKinds,
  declaredAnswer,
  type DeclaredAnswer,
  type DeclaredRoute,
  declaredRoutes,
} from './declared-routes';
import type { RouteHandler } from './direct-routes';

/** As the router leaves it, with the parameters of its path. */
export type RoutedRequest = IncomingMessage & {
  body?: unknown;
  query?: unknown;
  params: Readonly<Record<string, string>>;
};

/** Throws what refuses a request, before its method is called. */
export type Gate = (request: RoutedRequest) => void;

/** Decides for each route at the start what its requests pass; `undefined` when nothing. */
export interface RouteGate {
  gateOf(route: DeclaredRoute): Gate | undefined;
}

/** The gates of all routes, in their order. */
export const ROUTE_GATES = Symbol('ROUTE_GATES');

/** Has a header for each answer of an endpoint, also for refusals. */
export interface HeaderSource {
  /** Name and value. */
  offeredHeader(): readonly [string, string] | undefined;
}

const sourcesKey = 'sealwright:header-sources';

/** On a controller: each of its answers has the headers of these providers. */
export const OffersHeaders = (...sources: readonly Type<HeaderSource>[]): ClassDecorator =>
  SetMetadata(sourcesKey, sources);

type Argument = (request: RoutedRequest, response: ServerResponse) => unknown;

/** What the methods of controllers are called with. @param name that the decorator was given */
const argumentOf: Readonly<Record<number, (name: string | undefined) => Argument>> = {
  [argumentKinds.request]: () => (request) => request,
  [argumentKinds.response]: () => (_request, response) => response,
  [argumentKinds.body]: () => (request) => request.body,
  [argumentKinds.query]: () => (request) => request.query,
  [argumentKinds.param]: (name) => (request) => parameterOf(request, name ?? ''),
  [argumentKinds.headers]: (name) => (request) =>
    name === undefined ? request.headers : request.headers[name.toLowerCase()],
};

/** What the database cannot hold names nothing: such a path is not found. */
function parameterOf({ params }: RoutedRequest, name: string): string | undefined {
  const value = params[name];
  if (unstorable(value).length > 0) throw new NotFoundException();
  return value;
}

interface Means {
  /** The form of errors where no other is declared. */
  readonly usual: ExceptionFilter;
  readonly respond: (response: ServerResponse, body: unknown, status: number) => void;
  /** Answers when even the refusal could not be sent. */
  readonly fail: (error: unknown, request: IncomingMessage, response: ServerResponse) => void;
}

/**
 * How each route is answered, made once at the start from its decorators. Nest would ask its guards, pipes, interceptors and
 * filters anew for each request, at a price of 25 promises; here `@UseFilters` is the only one of them.
 * @returns handlers by method and path, as in `GET /v0/offers/:offerId`
 */
export function routePlans(app: INestApplication, means: Means): Map<string, RouteHandler> {
  const gates = app.get<readonly RouteGate[]>(ROUTE_GATES);
  const plans = new Map<string, RouteHandler>();
  for (const { controllers, injectables } of app.get(ModulesContainer).values()) {
    for (const { metatype, instance } of controllers.values()) {
      for (const route of declaredRoutes(metatype as Type<object>)) {
        const declared = declaredAnswer(route);
        const form = declared.filter ? (injectables.get(declared.filter)?.instance as ExceptionFilter) : means.usual;
        const offered = (Reflect.getMetadata(sourcesKey, route.controller) ?? []) as readonly Type<HeaderSource>[];
        const sources = offered.map((source) => app.get(source, { strict: false }));
        const passed = gates.flatMap((gate) => gate.gateOf(route) ?? []);
        const begin = beginningOf(route, instance, { declared, passed, sources });
        plans.set(`${route.method} ${route.path}`, planOf(begin, declared.status, { ...means, usual: form }));
      }
    }
  }
  return plans;
}

interface Preliminaries {
  readonly declared: DeclaredAnswer;
  readonly passed: readonly Gate[];
  readonly sources: readonly HeaderSource[];
}

/** Everything up to what the method returns. */
function beginningOf(
  { controller, name: methodName, handler }: DeclaredRoute,
  instance: object,
  { declared, passed, sources }: Preliminaries,
): Argument {
  const values = declared.given.map(({ kind, name }) => {
    const argument = argumentOf[kind]?.(name);
    if (!argument) throw new Error(`${controller.name}.${methodName} wants what no plan of a route can give.`);
    return argument;
  });
  return (request, response) => {
    for (const pass of passed) pass(request);
    for (const source of sources) {
      const header = source.offeredHeader();
      if (header) response.setHeader(...header);
    }
    for (const { name, value } of declared.headers) response.setHeader(name, value);
    return handler.apply(
      instance,
      values.map((value) => value(request, response)),
    );
  };
}

/** As much of Nest's as filters ask for. */
function hostOf(request: RoutedRequest, response: ServerResponse): ArgumentsHost {
  const http = { getRequest: () => request, getResponse: () => response };
  return { switchToHttp: () => http } as unknown as ArgumentsHost;
}

function planOf(begin: Argument, status: number, { usual, respond, fail }: Means): RouteHandler {
  return (incoming, response) => {
    const request = incoming as RoutedRequest;
    const refuse = (error: unknown): void => {
      try {
        usual.catch(error, hostOf(request, response));
      } catch (failure) {
        fail(failure, request, response);
      }
    };
    const answer = (body: unknown): void => {
      try {
        respond(response, body, status);
      } catch (error) {
        refuse(error);
      }
    };
    try {
      const body = begin(request, response);
      if (types.isPromise(body)) body.then(answer, refuse);
      else answer(body);
    } catch (error) {
      refuse(error);
    }
  };
}
