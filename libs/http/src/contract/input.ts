import {
  escapePointer,
  isJsonObject,
  type JsonValue,
  parseStrictJson,
  StrictJsonError,
  unknownName,
} from '@app/primitives/json';
import { Problem } from '@app/primitives/problems';
import { NotFoundException, type Type } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { changedNumbers, unstorable } from '../body/storable';
import { parseConditions } from '../answers/conditions';
import type { RawBody } from '../body/raw-body';
import { type SentFile, sentFile } from '../body/sent-file';
import { sizeText } from '../body/body-limits';
import { type Input, mediaTypeOf, type Operation } from './operation';
import { assertFaultless, examined, type Fault } from './validation';

/** What a request to an operation brings. */
export interface Received {
  readonly method: string;
  readonly originalUrl: string;
  readonly headers: IncomingHttpHeaders;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** What a request says to an operation. Throws the problem of one that breaks the contract. */
export function inputOf<C extends Operation>(
  operation: C,
  { originalUrl, headers, params, query, body }: Received,
): Input<C> {
  if (unstorable(params).length > 0) throw new NotFoundException();
  const file = operation.file && fileOf(operation.file, body as RawBody, headers['content-type']);
  // Reading the query means parsing it, and most requests have none.
  const asked = queryOf(operation.query, { ...(originalUrl.includes('?') && query), ...file?.fields });
  const sent = operation.body && bodyOf(operation.body, body as RawBody);
  assertFaultless([...asked.faults, ...(sent?.faults ?? [])]);
  const {
    'if-match': ifMatch,
    'if-none-match': ifNoneMatch,
    'idempotency-key': idempotencyKey,
    'last-event-id': lastEventId,
  } = headers;
  return {
    params,
    query: asked.value,
    body: sent?.value,
    file,
    mediaType: mediaTypeOf(operation, headers.accept),
    conditions: operation.conditional && operation.method !== 'GET' ? parseConditions(ifMatch, ifNoneMatch) : {},
    idempotencyKey: idempotencyKey as string | undefined,
    lastEventId: lastEventId as string | undefined,
    // The classes of query and body are the contract's.
  } as Input<C>;
}

interface Read {
  readonly value: object | undefined;
  readonly faults: readonly Fault[];
}

function queryOf(type: Type<object> | undefined, query: Readonly<Record<string, unknown>>): Read {
  const faults = unstorable(query);
  if (faults.length > 0) return { value: undefined, faults };
  const repeated = Object.entries(query).filter(([, value]) => Array.isArray(value));
  if (repeated.length > 0) return { value: undefined, faults: repeated.map(([name]) => givenOnce(name)) };
  if (type) return examined(type, query, 'parameter');
  const unknown = Object.keys(query).map((name) => ({
    pointer: `/${escapePointer(name)}`,
    message: unknownName('parameter', name, [], 0),
  }));
  return { value: undefined, faults: unknown };
}

function givenOnce(name: string): Fault {
  return { pointer: `/${escapePointer(name)}`, message: 'must be given once' };
}

function bodyOf(type: Type<object>, body: RawBody): Read {
  const { plain, text } = parseJsonObject(body);
  const unreadable = [...unstorable(plain), ...changedNumbers(text)];
  const { value, faults } = examined(type, plain);
  if (unreadable.length === 0) return { value, faults };
  const places = new Set(unreadable.map(({ pointer }) => pointer));
  return { value: undefined, faults: [...unreadable, ...faults.filter(({ pointer }) => !places.has(pointer))] };
}

/** Unchecked. */
function bodyObjectOf({ body }: Received): Readonly<Record<string, unknown>> {
  return { ...parseJsonObject(body as RawBody).plain };
}

/** What a request names besides its path, unchecked. Throws as {@link inputOf}. */
export function namedIn(operation: Operation, request: Received): Readonly<Record<string, unknown>> {
  if (operation.body) return bodyObjectOf(request);
  const { headers, query, body } = request;
  const file = operation.file && fileOf(operation.file, body as RawBody, headers['content-type']);
  return { ...query, ...file?.fields };
}

/** The JSON object in a management body. Throws `payload-too-large`, `unsupported-media-type` or `malformed-json`. */
function parseJsonObject(body: RawBody): { readonly plain: object; readonly text: string } {
  const bytes = bytesOf(body);
  if (bytes.length === 0) return { plain: {}, text: '' };
  if (body.mediaType !== 'application/json') {
    throw new Problem('unsupported-media-type', `The body was sent ${typeText(body)}, not as application/json.`);
  }
  let parsed: JsonValue;
  try {
    parsed = parseStrictJson(bytes);
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    throw new Problem('malformed-json', `The body is not acceptable JSON: ${error.explanation()}.`);
  }
  if (!isJsonObject(parsed)) {
    throw new Problem('malformed-json', `The body must be one JSON object, not ${kindText(parsed)}.`);
  }
  return { plain: parsed, text: bytes.toString('utf8') };
}

/** Throws `payload-too-large` or `unsupported-media-type`. */
function bytesOf(body: RawBody): Buffer {
  if (!body.bytes) {
    throw new Problem(
      'payload-too-large',
      `The body is larger than the ${sizeText(body.limit)} that this address takes.`,
    );
  }
  if (body.isEncoded && body.bytes.length > 0) {
    // RFC 9110 §12.5.3: what would have been accepted.
    const headers = { 'Accept-Encoding': 'identity' };
    throw new Problem('unsupported-media-type', 'The body must be sent without Content-Encoding.', [], headers);
  }
  return body.bytes;
}

/** Throws as `bytesOf`, and `validation-failed` where there is no file. */
function fileOf(mediaTypes: readonly string[], body: RawBody, contentType: string | undefined): SentFile {
  const bytes = bytesOf(body);
  if (!mediaTypes.includes(body.mediaType)) {
    throw new Problem(
      'unsupported-media-type',
      `The body was sent ${typeText(body)}, not as one of ${mediaTypes.join(', ')}.`,
    );
  }
  const file = sentFile(bytes, body.mediaType, contentType);
  if (file && file.bytes.length > 0) return file;
  throw new Problem('validation-failed', 'The body must be a file, or a form whose part `file` is one; there is none.');
}

function typeText({ mediaType }: RawBody): string {
  if (mediaType === '') return 'without a Content-Type';
  return /^[\w.+-]+\/[\w.+-]{1,80}$/.test(mediaType) ? `as ${mediaType}` : 'with a malformed Content-Type';
}

function kindText(value: JsonValue): string {
  if (Array.isArray(value)) return 'an array';
  return value === null ? 'null' : `a ${typeof value}`;
}
