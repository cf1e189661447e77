import type { Type } from '@nestjs/common';
import { commonComponents, commonHeaders, commonParameters, securityOf } from './components';
import { type ControllerDescription, descriptionOf, type OperationDescription, type Schema } from './description';
import { bodySchema } from './dto-schema';
import { problemExamples, problemResponseComponents, problemResponses, problemsOf } from './problem-responses';
import { managementRoutes, type Route } from './routes';

export interface DocumentInfo {
  readonly title: string;
  readonly version: string;
  readonly description: string;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * The OpenAPI 3.1 document of the management API, from the controllers of the modules and their descriptions. Throws
 * when an operation is not described, or a description describes nothing.
 */
export function openApiDocument(modules: readonly Type<object>[], info: DocumentInfo): Json {
  const routes = managementRoutes(modules);
  const controllers = [...new Set(routes.map(({ controller }) => controller))];
  const descriptions = controllers.map((controller) => described(controller, routes));
  const tags = new Map(descriptions.map(({ tag, description }) => [tag, { name: tag, description }]));
  const paths: Record<string, Record<string, unknown>> = {};
  const bodies: Record<string, Schema> = {};
  for (const route of routes) {
    const description = described(route.controller, routes);
    const { body } = operationOf(route, description);
    if (body && route.body) bodies[route.body.name] = bodySchema(route.body, body);
    (paths[route.path] ??= {})[route.method] = operationObject(route, description);
  }
  const problems = routes.map((route) => problemsOf(route, operationOf(route, described(route.controller, routes))));
  const schemas = Object.assign({}, bodies, ...descriptions.map((each) => each.schemas)) as Record<string, Schema>;
  return {
    openapi: '3.1.0',
    info: { ...info, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/', description: 'The service that serves this document.' }],
    tags: [...tags.values()],
    paths,
    components: {
      ...commonComponents,
      responses: problemResponseComponents(problems),
      examples: problemExamples(new Set(problems.flatMap((each) => [...each]))),
      schemas: sorted({ ...commonComponents.schemas, ...schemas }),
    },
  };
}

function described(controller: Type<object>, routes: readonly Route[]): ControllerDescription {
  const description = descriptionOf(controller);
  if (!description) throw new Error(`${controller.name} has no description for the OpenAPI document.`);
  const names = new Set(routes.filter((route) => route.controller === controller).map(({ name }) => name));
  const stranger = Object.keys(description.operations).find((name) => !names.has(name));
  if (stranger !== undefined) throw new Error(`${controller.name} has no operation ${stranger}.`);
  return description;
}

function operationOf({ controller, name, body }: Route, { operations }: ControllerDescription): OperationDescription {
  const operation = operations[name];
  if (!operation) throw new Error(`${controller.name}.${name} has no description for the OpenAPI document.`);
  if ((body === undefined) !== (operation.body === undefined)) {
    throw new Error(`${controller.name}.${name}: the description and the method disagree about a body.`);
  }
  return operation;
}

function operationObject(route: Route, description: ControllerDescription): Json {
  const operation = operationOf(route, description);
  const { id, summary, description: text, body } = operation;
  return {
    operationId: id,
    tags: [description.tag],
    summary,
    description: `${text === undefined ? '' : `${text} `}Needs the scope \`${route.scope}\`; the audit calls it \`${route.auditAction}\`.`,
    parameters: [
      ...pathParameters(route, description),
      ...queryParameters(operation),
      ...headerParameters(route, operation),
    ],
    security: securityOf(route.scope),
    ...(body && route.body && { requestBody: requestBody(route.body, operation) }),
    responses: { ...answers(operation), ...problemResponses(problemsOf(route, operation)) },
  };
}

function pathParameters({ path }: Route, { parameters }: ControllerDescription): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const parameter = parameters[name];
    if (!parameter) throw new Error(`The parameter ${name} of ${path} has no description.`);
    return { name, in: 'path', required: true, ...parameter };
  });
}

function queryParameters({ query = {} }: OperationDescription): Json[] {
  return Object.entries(query).map(([name, parameter]) => ({ name, in: 'query', ...parameter }));
}

function headerParameters({ idempotent }: Route, { conditional }: OperationDescription): Json[] {
  return [
    ...(idempotent ? [commonParameters.idempotencyKey] : []),
    ...(conditional === true ? [commonParameters.ifMatch] : []),
    commonParameters.requestId,
    commonParameters.traceparent,
  ];
}

function requestBody(dto: Type<object>, { body }: OperationDescription): Json {
  const examples = Object.fromEntries(Object.entries(body?.examples ?? {}).map(([name, value]) => [name, { value }]));
  return {
    required: body?.optional !== true,
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${dto.name}` }, examples } },
  };
}

function answers({ answers: all }: OperationDescription): Json {
  return Object.fromEntries(
    all.map(({ status, description, schema, example, headers = [], mediaTypes = [] }) => {
      const content: Record<string, unknown> = {};
      if (schema) content['application/json'] = { schema, ...(example !== undefined && { example }) };
      // OpenAPI 3.1: an empty schema object for what is no JSON.
      for (const type of mediaTypes) content[type] = type.startsWith('image/png') ? {} : { schema: { type: 'string' } };
      const named = headers.map((name) => [name, commonHeaders[name]] as const);
      return [
        String(status),
        {
          description,
          headers: { ...Object.fromEntries(named), ...commonHeaders.every },
          ...(Object.keys(content).length > 0 && { content }),
        },
      ];
    }),
  );
}

function sorted(schemas: Readonly<Record<string, Schema>>): Json {
  return Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
}
