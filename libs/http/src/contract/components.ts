import { tenantIdPattern } from '@app/primitives/context';
import { tagsPattern } from '../answers/conditions';
import { requestIdPattern } from '../context/request-context';
import { closed, component, type Schema, text } from './schemas';

const requestId: Schema = { type: 'string', pattern: requestIdPattern };
const traceparent: Schema = { type: 'string', pattern: '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$' };
const tags: Schema = { type: 'string', pattern: tagsPattern };

/** Of a header that never makes a request wrong. */
function orIgnored(schema: Schema): Schema {
  return { anyOf: [schema, { type: 'string', description: 'Malformed: ignored.' }] };
}

const headers = {
  Location: {
    description: 'The URL of the new resource, or of what was asked for.',
    schema: { type: 'string', format: 'uri-reference' },
  },
  ETag: {
    description: 'The version of the resource, for `If-Match` and `If-None-Match`.',
    schema: { type: 'string', pattern: '^"[A-Za-z0-9_-]+"$' },
  },
  'X-Request-Id': { description: 'The value in the request, or a new one.', schema: requestId },
  traceparent: { description: 'The value in the request, or a new one (W3C Trace Context).', schema: traceparent },
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
  'WWW-Authenticate': {
    description: 'What was wrong with the key or token (RFC 6750, RFC 9449).',
    schema: { type: 'string', pattern: '^(Bearer|DPoP) ' },
  },
};

interface HeaderParameter {
  readonly description: string;
  readonly schema: Schema;
  readonly example?: string;
}

const parameters = {
  'Idempotency-Key': {
    description:
      'A string of yours that is new for each request. The same request sent again with the same key creates nothing ' +
      'and returns the stored answer for 24 hours; an error is not stored.',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
    example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
  },
  'If-Match': {
    description: 'The `ETag` of an earlier answer: the request is rejected when the resource was changed since.',
    schema: tags,
    example: '"1"',
  },
  'If-None-Match': {
    description:
      'The `ETag` of an earlier answer: a GET answers 304 when nothing changed since, a change is rejected when the ' +
      'resource still has that version.',
    schema: tags,
    example: '"1"',
  },
  'Last-Event-ID': {
    description: 'The `id` of the last event that was received: the stream goes on behind it.',
    schema: { type: 'string', pattern: '^(0|[1-9][0-9]{0,17})$' },
    example: '4711',
  },
  'X-Tenant': {
    description:
      'The id of a tenant, in whose name this is done: for callers of the service with the scope `tenants:act`, besides the one ' +
      'of the operation.',
    schema: { type: 'string', pattern: tenantIdPattern },
    example: 'musterstadt',
  },
  'X-Request-Id': {
    description: 'Returned with the answer and logged. Ignored when malformed.',
    schema: orIgnored(requestId),
  },
  traceparent: {
    description: 'W3C Trace Context; returned with the answer. Ignored when malformed.',
    schema: orIgnored(traceparent),
  },
};

const check = { type: 'array', items: text, description: 'Functions and files, the innermost first.' };
const violation = closed({
  pointer: { type: 'string', description: 'JSON Pointer into the body, or the name of a parameter or header.' },
  message: text,
});
const debug = closed({
  check,
  'template?': text,
  'configuration?': text,
  'schemaVersion?': { type: 'integer', description: "Version of the template's content, which holds the schema." },
  'stack?': { type: 'string', description: 'Of a failure.' },
});

/** RFC 9457. */
export const problemSchema = component('Problem', {
  ...closed({
    type: { type: 'string', format: 'uri', description: 'The page that explains the problem and its remedy.' },
    title: text,
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What happened this time.' },
    remedy: { type: 'string', description: 'What to do about problems of this type, as its page says.' },
    instance: {
      type: 'string',
      description: 'The path of the request, or the id of a failure in the log; `/` for a request that was not read.',
    },
    'violations?': { type: 'array', items: violation },
    'debug?': { description: 'What decided; only in the development profile.', ...debug },
  }),
  description: 'Problem details (RFC 9457).',
});

const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key, or an OAuth 2.0 access token in the JWT profile (RFC 9068).',
  },
  dpop: {
    type: 'http',
    scheme: 'DPoP',
    description: 'An access token that is bound to a key (`cnf.jkt`), with a proof in the header `DPoP` (RFC 9449).',
  },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The same API key.' },
};

/** Either scheme, with a scope. OpenAPI 3.1 §4.8.30: for these schemes the list names what the caller must be allowed. */
export function securityOf(scope: string): readonly Schema[] {
  return Object.keys(securitySchemes).map((scheme) => ({ [scheme]: scope === 'any' ? [] : [scope] }));
}

/** What every document has. */
export const commonComponents = {
  securitySchemes,
  headers,
  parameters: Object.fromEntries(
    Object.entries(parameters).map(([name, { description, example, schema }]: [string, HeaderParameter]) => [
      name,
      { name, in: 'header', description: withExample(description, example), schema },
    ]),
  ),
};

/** In words: explorers fill a parameter with its `example`, and send what nobody has chosen. */
export function withExample(description: string, example: string | undefined): string {
  return example === undefined ? description : `${description} For example: \`${example}\`.`;
}

/** References to parameters in headers. */
export function headerParameters(...names: readonly (keyof typeof parameters)[]): Schema[] {
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

/** References to headers of an answer, and to those that every answer has. */
export function answerHeaders(...names: readonly (keyof typeof headers)[]): Schema {
  const all = [...names, 'X-Request-Id', 'traceparent'];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
