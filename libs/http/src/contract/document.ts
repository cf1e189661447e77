import type { ProblemSlug } from '@app/primitives/problems';
import type { Type } from '@nestjs/common';
import { bodyLimits, sizeText } from '../body/body-limits';
import { controllersOf } from '../server/declared-routes';
import { classSchema } from './class-schema';
import { answerHeaders, commonComponents, headerParameters, securityOf, withExample } from './components';
import { operationsOf } from './implementation';
import { isOfTenants, type Operation } from './operation';
import { problemExamples, problemResponseComponents, problemResponses, problemsOf } from './problem-responses';
import { component, componentNameOf, exampleOf, type Schema, text } from './schemas';

export interface DocumentInfo {
  readonly title: string;
  readonly version: string;
  readonly description: string;
}

/**
 * The OpenAPI 3.1 document of the management API, from the contracts that the controllers of some modules implement.
 * @param webhooks what the service posts to others, as path items by name
 */
export function openApiDocument(modules: readonly Type<object>[], info: DocumentInfo, webhooks: Schema): Schema {
  const operations = modules.flatMap(controllersOf).flatMap(operationsOf);
  const tags = new Map(
    operations.map(({ resource: { tag, description } }) => [tag, { name: tag, description }] as const),
  );
  const paths: Record<string, Record<string, unknown>> = {};
  const schemas: Record<string, unknown> = {};
  for (const operation of operations) {
    (paths[pathOf(operation)] ??= {})[operation.method.toLowerCase()] = withReferences(
      operationObject(operation),
      schemas,
    );
  }
  const posted = withReferences(webhooks, schemas);
  const problems = operations.map(problemsOf);
  const named = new Set<ProblemSlug>(problems.flatMap((each) => [...each]));
  const responses = withReferences(problemResponseComponents(problems), schemas);
  return {
    openapi: '3.1.0',
    info: { ...info, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/', description: 'The service that serves this document.' }],
    tags: [...tags.values()],
    paths,
    webhooks: posted,
    components: {
      ...commonComponents,
      responses,
      examples: problemExamples(named),
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
}

/** With parameters in braces: `/v0/offers/{offerId}`. */
function pathOf({ path }: Operation): string {
  return `/${path}`.replace(/:(\w+)/g, '{$1}');
}

function operationObject(operation: Operation): Schema {
  const { id, resource, summary, description, scope, freshness, auditAction } = operation;
  const words = description === undefined ? '' : `${description} `;
  const needed = scope === 'any' ? 'Any caller may' : `Needs the scope \`${scope}\``;
  const needs = freshness ? `${needed}, and of a person a sign-in of the last ten minutes` : needed;
  return {
    operationId: id,
    tags: [resource.tag],
    summary,
    description: `${words}${needs}; the audit calls it \`${auditAction}\`.`,
    parameters: [...pathParameters(operation), ...queryParameters(operation), ...headersOf(operation)],
    security: securityOf(scope),
    ...requestBody(operation),
    responses: { ...answersOf(operation), ...problemResponses(problemsOf(operation)) },
  };
}

function pathParameters({ resource: { parameters = {} }, path }: Operation): Schema[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const parameter = parameters[name];
    if (!parameter) throw new Error(`The parameter ${name} of ${path} has no description.`);
    return { name, in: 'path', required: true, ...parameter };
  });
}

interface QuerySchema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

function queryParameters({ query }: Operation): Schema[] {
  const { properties = {}, required = [] } = query ? (classSchema(query) as QuerySchema) : {};
  return Object.entries(properties).map(([name, { description = '', example, ...schema }]) => {
    const words = withExample(String(description), example as string | undefined);
    return { name, in: 'query', ...(required.includes(name) && { required: true }), description: words, schema };
  });
}

function headersOf(operation: Operation): Schema[] {
  const { idempotent, conditional, resumable } = operation;
  return headerParameters(
    ...(idempotent ? (['Idempotency-Key'] as const) : []),
    ...(conditional ? (['If-Match', 'If-None-Match'] as const) : []),
    ...(resumable ? (['Last-Event-ID'] as const) : []),
    ...(isOfTenants(operation) ? (['X-Tenant'] as const) : []),
    ...(['X-Request-Id', 'traceparent'] as const),
  );
}

function requestBody({ body, file, query, examples = {}, bodyLimit = 'management' }: Operation): Schema {
  if (file) {
    const binary = { type: 'string', format: 'binary' };
    const { properties = {} } = query ? (classSchema(query) as QuerySchema) : {};
    const form = { type: 'object', properties: { file: binary, ...properties }, required: ['file'] };
    const content = file.map((type) => [type, { schema: type === 'multipart/form-data' ? form : binary }] as const);
    const description = `At most ${sizeText(bodyLimits[bodyLimit].bytes)}.`;
    return { requestBody: { description, required: true, content: Object.fromEntries(content) } };
  }
  if (!body) return {};
  const schema = classSchema(body);
  const named = Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
  return {
    requestBody: {
      description: `At most ${bodyLimits[bodyLimit].bytes / 1024} KiB.`,
      required: ['required', 'allOf', 'oneOf'].some((rule) => rule in schema),
      content: { 'application/json': { schema: component(body.name, schema), examples: named } },
    },
  };
}

function answersOf({ replies, conditional, method }: Operation): Schema {
  const isTagged = conditional && method === 'GET';
  const entries = Object.entries(replies).map(([status, answer]) => {
    const { description, schema, mediaTypes = [], events, etag = isTagged } = answer;
    const others = mediaTypes.map((type) => [type, contentOf(type, events)] as const);
    const json = schema && { schema, example: exampleOf(schema) };
    const content = { ...(json && { 'application/json': json }), ...Object.fromEntries(others) };
    const named = [['201', '202', '302'].includes(status) && 'Location', etag && 'ETag'].filter((one) => one !== false);
    const headers = answerHeaders(...(named as ('Location' | 'ETag')[]));
    return [status, { description, headers, ...(Object.keys(content).length > 0 && { content }) }] as const;
  });
  const unchanged = { description: 'Not modified.', headers: answerHeaders('ETag') };
  return { ...Object.fromEntries(entries), ...(isTagged && { 304: unchanged }) };
}

/** What is no JSON. With no schema for one of them, typed clients would know nothing of the JSON beside it either. */
function contentOf(mediaType: string, events: Schema | undefined): Schema {
  if (events) {
    const data = { type: 'string', contentMediaType: 'application/json', contentSchema: events };
    // OpenAPI 3.2 calls it itemSchema.
    return { schema: { type: 'string' }, 'x-itemSchema': { type: 'object', properties: { id: text, data } } };
  }
  return { schema: mediaType === 'image/png' ? { type: 'string', format: 'binary' } : { type: 'string' } };
}

/** A copy in which components are references. @param components receives them, by name */
function withReferences(value: unknown, components: Record<string, unknown>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => withReferences(one, components));
  const name = componentNameOf(value);
  const copy = () =>
    Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withReferences(one, components)]));
  if (name === undefined) return copy();
  components[name] ??= copy();
  return { $ref: `#/components/schemas/${name}` };
}
