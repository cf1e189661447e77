import type { Schema } from './description';
import { closedObject } from './schemas';

const traceparent: Schema = { type: 'string', pattern: '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$' };
const requestId: Schema = { type: 'string', minLength: 1, maxLength: 128 };

const headers = {
  Location: { description: 'The address of what was created.', schema: { type: 'string', format: 'uri-reference' } },
  ETag: {
    description: 'The version of the resource, for `If-Match`.',
    schema: { type: 'string', pattern: '^"[0-9]+"$' },
  },
  'X-Request-Id': { description: 'The one of the request, or a new one.', schema: requestId },
  traceparent: { description: 'The one of the request, or a new one (W3C Trace Context).', schema: traceparent },
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
  'WWW-Authenticate': {
    description: 'What was wrong with the key or token (RFC 6750).',
    schema: { type: 'string', pattern: '^Bearer ' },
  },
};

const parameters = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Any text of yours that is new for each request. The same request sent again with the same key creates nothing ' +
      'and gets the stored answer for 24 hours; a refusal is not stored.',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
    example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description: 'The `ETag` of an earlier answer: the change is refused when the resource was changed since.',
    schema: { type: 'string', pattern: '^(\\*|"[0-9]+"(, ?"[0-9]+")*)$' },
    example: '"1"',
  },
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Comes back with the answer and stands in the log. Ignored when it is not well formed.',
    schema: requestId,
  },
  traceparent: {
    name: 'traceparent',
    in: 'header',
    description: 'W3C Trace Context; comes back with the answer. Ignored when it is not well formed.',
    schema: traceparent,
  },
};

const problem = {
  ...closedObject(
    {
      type: { type: 'string', format: 'uri', description: 'The page that explains the problem and its remedy.' },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string', description: 'What happened this time and what to do.' },
      instance: { type: 'string', description: 'The path of the request, or the id of a failure in the log.' },
      violations: {
        type: 'array',
        items: closedObject({
          pointer: { type: 'string', description: 'JSON Pointer into the body, or the name of a parameter or header.' },
          message: { type: 'string' },
        }),
      },
      debug: {
        description: 'What decided; only in the development profile.',
        ...closedObject(
          {
            check: {
              type: 'array',
              items: { type: 'string' },
              description: 'Functions and files, the innermost first.',
            },
            template: { type: 'string' },
            configuration: { type: 'string' },
            schemaVersion: {
              type: 'integer',
              description: "Version of the template's content, which holds the schema.",
            },
            stack: { type: 'string', description: 'Of a failure.' },
          },
          ['template', 'configuration', 'schemaVersion', 'stack'],
        ),
      },
    },
    ['violations', 'debug'],
  ),
  description: 'Problem details (RFC 9457).',
};

const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key, or an OAuth 2.0 access token in the JWT profile (RFC 9068).',
  },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The same API key.' },
};

/** Either way in, with a scope. OpenAPI 3.1 §4.8.30: for these schemes the list names what the caller must be allowed. */
export function securityOf(scope: string): readonly Schema[] {
  return Object.keys(securitySchemes).map((scheme) => ({ [scheme]: [scope] }));
}

/** What every document has, whatever the modules say. */
export const commonComponents = {
  securitySchemes,
  headers,
  parameters,
  schemas: { Problem: problem } as Readonly<Record<string, Schema>>,
};

function referTo(kind: 'headers' | 'parameters', name: string): Schema {
  return { $ref: `#/components/${kind}/${name}` };
}

export const commonParameters = {
  idempotencyKey: referTo('parameters', 'Idempotency-Key'),
  ifMatch: referTo('parameters', 'If-Match'),
  requestId: referTo('parameters', 'X-Request-Id'),
  traceparent: referTo('parameters', 'traceparent'),
};

export const commonHeaders = {
  Location: referTo('headers', 'Location'),
  ETag: referTo('headers', 'ETag'),
  retryAfter: referTo('headers', 'Retry-After'),
  challenge: referTo('headers', 'WWW-Authenticate'),
  /** On every answer. */
  every: {
    'X-Request-Id': referTo('headers', 'X-Request-Id'),
    traceparent: referTo('headers', 'traceparent'),
  },
};
