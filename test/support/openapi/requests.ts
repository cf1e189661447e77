import fc, { type Arbitrary } from 'fast-check';
import type { Body, Operation, Parameter, Schema } from './document';
import type { SchemaValues } from './values';
import type { Json } from '../http/requests';
import { png } from '../portal/pictures';

const files = { 'text/csv': 'given_name\nErika\n', 'image/png': png(2, 2) } as const;

/** One request generated from the document. `fault` names what is wrong with it; a valid one has none. */
export interface MadeRequest {
  readonly operation: Operation;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  readonly fault: string | undefined;
  /** Whether the document itself forbids what was broken. */
  readonly mustBeRefused: boolean;
}

/** A request before it becomes text: what faults are put into. */
interface Draft {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json | undefined;
}

/** Requests that the document allows. */
export function validRequests(operation: Operation, values: SchemaValues): Arbitrary<MadeRequest> {
  return drafts(operation, values).map((draft) => ({
    ...rendered(operation, draft),
    fault: undefined,
    mustBeRefused: false,
  }));
}

/** Requests with one fault each. */
export function brokenRequests(operation: Operation, values: SchemaValues): Arbitrary<MadeRequest> {
  return drafts(operation, values).chain((draft) => fc.oneof(...faults(operation, draft)));
}

function drafts(operation: Operation, values: SchemaValues): Arbitrary<Draft> {
  const of = (place: Parameter['in']): Arbitrary<Json> => {
    const parameters = operation.parameters.filter((one) => one.in === place);
    const members = parameters.flatMap(({ name, schema }) => {
      const value = name === 'cursor' ? values.cursorOf(operation.id) : values.member(name, schema);
      return value ? [[name, value] as const] : [];
    });
    const required = parameters.filter((one) => one.required === true).map(({ name }) => name);
    return fc.record(Object.fromEntries(members), { requiredKeys: required });
  };
  const draft = fc.record({
    path: of('path'),
    query: of('query').map((query) =>
      Object.entries(query)
        // A cursor goes on in the list that gave it, which had no filters.
        .filter(([name]) => !Object.hasOwn(query, 'cursor') || ['cursor', 'limit'].includes(name))
        .map(([name, value]) => [name, String(value)] as const),
    ),
    headers: of('header').chain((headers) => accepted(operation, headers)),
    body: bodies(operation, values),
  });
  // Nor was it that of a tenant.
  const isOfService = ({ query }: Draft): boolean => query.some(([name]) => name === 'cursor');
  return draft.map((made) => (isOfService(made) ? { ...made, headers: without(made.headers, 'X-Tenant') } : made));
}

function without(headers: Draft['headers'], left: string): Draft['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== left));
}

function accepted(operation: Operation, headers: Json): Arbitrary<Record<string, string>> {
  const types = ['200', '201'].flatMap((status) => operation.answers[status]?.mediaTypes ?? []);
  const sendable = Object.entries(headers).filter(([, value]) => /^[\x21-\x7e]+$/.test(String(value)));
  const given = Object.fromEntries(sendable.map(([name, value]) => [name, String(value)]));
  if (types.length === 0) return fc.constant(given);
  return fc.option(fc.constantFrom(...types, '*/*'), { nil: undefined }).map((accept) => ({
    ...given,
    ...(accept !== undefined && { accept }),
  }));
}

/** A documented example with some members regenerated, left out or added, as far as the schema accepts the whole. */
function bodies({ body }: Operation, values: SchemaValues): Arbitrary<Json | undefined> {
  if (!body) return fc.constant(undefined);
  const { schema, examples, accepts } = body;
  const names = Object.keys(schema['properties'] as Json);
  return fc
    .tuple(fc.constantFrom(...examples), values.object({ ...schema, required: [] }), fc.subarray(names))
    .map(([example, made, dropped]): Json => {
      const whole = { ...example, ...made };
      const fewer = Object.fromEntries(Object.entries(whole).filter(([name]) => !dropped.includes(name)));
      return [fewer, { ...example, ...pick(made, dropped) }, made, example].find((one) => accepts(one)) ?? example;
    });
}

function pick(value: Json, names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));
}

/** Values that hardly any member accepts. */
const strange: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 60,
  '',
  ' ',
  'x'.repeat(5000),
  '\0',
  '\ud800',
  '__proto__',
  [],
  [null],
  [[]],
  {},
  { $ref: 'https://elsewhere.example/schema' },
  { constructor: { prototype: 1 } },
  'never',
  'P1Y',
  '%00',
  '../..',
];

function faults(operation: Operation, draft: Draft): Arbitrary<MadeRequest>[] {
  const make = (
    fault: string,
    mustBeRefused: boolean,
    changes: Partial<Draft>,
    raw?: Partial<MadeRequest>,
  ): MadeRequest => ({
    ...rendered(operation, { ...draft, ...changes }),
    fault,
    mustBeRefused,
    ...raw,
  });
  const text = fc.constantFrom(
    '%',
    '%zz',
    '%00',
    '%ff',
    '%2e%2e',
    'a%2Fb',
    'x'.repeat(2000),
    '%F0%9F%8E%AB',
    '__proto__',
    "'%3B--",
  );
  const all = [
    fc
      .constantFrom('limits', 'Status', '__proto__', 'a/b~c', 'limit[]')
      .map((name) => make('unknown query parameter', true, { query: [...draft.query, [name, '1']] })),
    fc
      .constantFrom('', '0', '-1', '201', '1e3', 'x', '\0', 'é'.repeat(600))
      .chain((value) =>
        fc
          .constantFrom('limit', 'cursor', 'status', 'offerId')
          .map((name) => make('query parameter', false, { query: [[name, value]] })),
      ),
    fc
      .constantFrom(...draft.query.map(([name, value]) => [name, value] as const), ['limit', '5'] as const)
      .map((twice) => make('repeated query parameter', true, { query: [twice, twice] })),
    fc
      .constantFrom('application/nonsense', 'text/html;q=0', ';;', 'image/png, */*;q=0')
      .map((accept) => make('Accept', false, { headers: { ...draft.headers, accept } })),
    fc
      .constantFrom(' ', 'x'.repeat(300), 'a b', '"')
      .map((key) => make('Idempotency-Key', false, { headers: { ...draft.headers, 'Idempotency-Key': key } })),
    fc
      .constantFrom('1', 'W/"1"', '"x", "y"', '"0"', 'é', ',')
      .map((tag) => make('If-Match', false, { headers: { ...draft.headers, 'If-Match': tag } })),
    fc
      .constantFrom('', ' ', 'x'.repeat(500), '00-0-0-00', '<script>')
      .map((id) =>
        make('trace headers', false, { headers: { ...draft.headers, 'X-Request-Id': id, traceparent: id } }),
      ),
  ];
  if (operation.path.includes('{')) {
    all.push(
      text.map((value) => {
        const { path } = rendered(operation, draft);
        return make(
          'path',
          false,
          {},
          { path: path.replace(/^(\/v0\/\w+\/)[^/?]*/, `$1${value.replaceAll('$', '$$$$')}`) },
        );
      }),
    );
  }
  return draft.body && operation.body ? [...all, ...bodyFaults(operation.body, draft, draft.body, make)] : all;
}

function bodyFaults(
  described: Body,
  draft: Draft,
  body: Json,
  make: (fault: string, mustBeRefused: boolean, changes: Partial<Draft>, raw?: Partial<MadeRequest>) => MadeRequest,
): Arbitrary<MadeRequest>[] {
  const { schema, accepts } = described;
  const names = Object.keys(schema['properties'] as Schema);
  const json = JSON.stringify(body);
  const changed = (fault: string, value: Json): MadeRequest => make(fault, !accepts(value), { body: value });
  const raw = (fault: string, bytes: string | Uint8Array): MadeRequest => make(fault, true, {}, { body: bytes });
  const alterations = fc.tuple(fc.constantFrom(...names), fc.constantFrom(...strange));
  return [
    // Most faults are wrong values; each weight is a copy.
    ...Array.from({ length: 8 }, () =>
      alterations.map(([name, value]) => changed(`body: ${name}`, { ...body, [name]: value })),
    ),
    fc
      .constantFrom(...names)
      .map((name) =>
        changed(`body: no ${name}`, Object.fromEntries(Object.entries(body).filter(([one]) => one !== name))),
      ),
    fc
      .constantFrom('extra', 'Title', 'constructor', '')
      .map((name) => changed('body: unknown member', { ...body, [name]: 1 })),
    fc
      .constantFrom(
        '{',
        '[]',
        'null',
        '"x"',
        '{"a":1,"a":2}',
        '\ufeff{}',
        '{}x',
        "{'a':1}",
        '{"a":1e999}',
        '['.repeat(5000),
      )
      .map((one) => raw('no JSON object', one)),
    fc.nat({ max: Math.max(json.length - 2, 0) }).map((length) => raw('cut JSON', json.slice(0, length + 1))),
    fc.constant(
      raw('no UTF-8', Buffer.concat([Buffer.from(json.slice(0, -1)), Buffer.from([0xff, 0xfe]), Buffer.from('}')])),
    ),
    fc
      .constantFrom('text/plain', 'application/xml', 'application/x-www-form-urlencoded', '')
      .map((type) => make('media type', true, { headers: { ...draft.headers, 'content-type': type } })),
    fc.constant(raw('too large', `{"title":"${'x'.repeat(300 * 1024)}"}`)),
  ];
}

function rendered(operation: Operation, draft: Draft): Pick<MadeRequest, 'operation' | 'path' | 'headers' | 'body'> {
  const path = operation.path.replace(/\{(\w+)\}/g, (_whole, name: string) =>
    // A dot segment would be taken out of the address by any client.
    encodeURIComponent(String(draft.path[name]) || '-').replace(/^\.{1,2}$/, '-'),
  );
  const query = draft.query
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
  return {
    operation,
    path: query === '' ? path : `${path}?${query}`,
    headers: {
      ...(draft.body && { 'content-type': 'application/json' }),
      ...(operation.fileType && { 'content-type': operation.fileType }),
      ...draft.headers,
    },
    body: operation.fileType ? files[operation.fileType] : draft.body && JSON.stringify(draft.body),
  };
}
