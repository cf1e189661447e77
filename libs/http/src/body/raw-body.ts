import type { IncomingMessage, ServerResponse } from 'node:http';
import { inThisRequest } from '../context/request-context';
import { BodiesUnderWay, type BodyUnderWay } from './bodies-under-way';

/**
 * A request body as it came over the wire. Parsing waits until the endpoint is known, because portals and wallets are
 * answered about a bad body in different formats.
 */
export class RawBody {
  constructor(
    /** Undefined when the body was larger than `limit` bytes. */
    readonly bytes: Buffer | undefined,
    /** Media type in lower case without parameters; empty when the header is absent. */
    readonly mediaType: string,
    readonly limit: number,
    /** Whether it is compressed or encoded otherwise; neither is undone here. */
    readonly isEncoded = false,
  ) {}
}

export interface BodyLimit {
  readonly bytes: number;
  /** From its head to its last byte. */
  readonly seconds: number;
  /** Bytes that all bodies under this limit may occupy while they are not whole. */
  readonly together: number;
}

type Next = (error?: unknown) => void;

/** What is too large is read on without being kept, so that the client gets the answer; but not indefinitely. */
const patience = 16;

/**
 * Middleware that reads the whole body, up to the limit of the path, into a {@link RawBody} at `request.body`.
 * @param limitOf answers one and the same object for all paths that share a limit
 */
export function rawBody(limitOf: (path: string) => BodyLimit) {
  const underWay = new WeakMap<BodyLimit, BodiesUnderWay>();
  return (request: IncomingMessage & { body?: unknown }, response: ServerResponse, next: Next): void => {
    const { headers } = request;
    const mediaType = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
    const isEncoded = !/^(identity)?$/i.test(headers['content-encoding'] ?? '');
    const done = (bytes: Buffer | undefined, limit: number): void => {
      request.body = new RawBody(bytes, mediaType, limit, isEncoded);
      next();
    };
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) {
      done(Buffer.alloc(0), 0);
      return;
    }
    const limit = limitOf(request.url ?? '');
    if (isRefusedUnread(request, limit.bytes)) {
      response.setHeader('Connection', 'close');
      done(undefined, limit.bytes);
      return;
    }
    if (awaitsContinue(request)) response.writeContinue();
    // Events of the socket know no request: what follows goes on in the context of the one that waited.
    const proceed = inThisRequest(done);
    const others = underWay.get(limit) ?? new BodiesUnderWay(limit.together);
    underWay.set(limit, others);
    read(request, response, limit, others, (bytes) => {
      proceed(bytes, limit.bytes);
    });
  };
}

function read(
  request: IncomingMessage,
  response: ServerResponse,
  limit: BodyLimit,
  others: BodiesUnderWay,
  done: (bytes: Buffer | undefined) => void,
): void {
  let chunks: Buffer[] = [];
  let size = 0;
  const sendAway = (status: number, headers = {}): void => {
    forget();
    chunks = [];
    response.writeHead(status, { Connection: 'close', 'Content-Length': 0, ...headers }).end();
  };
  const body: BodyUnderWay = {
    giveUp: () => {
      sendAway(503, { 'Retry-After': '1' });
    },
  };
  const late = setTimeout(() => {
    sendAway(408);
  }, limit.seconds * 1000);
  const forget = (): void => {
    clearTimeout(late);
    others.end(body);
  };
  request.on('data', (chunk: Buffer) => {
    // Who was sent away may not have noticed yet.
    if (response.headersSent) return;
    size += chunk.length;
    if (size > limit.bytes * patience) request.destroy();
    if (size > limit.bytes) return;
    chunks.push(chunk);
    others.grow(body, chunk.length);
  });
  request.once('end', () => {
    forget();
    if (!response.headersSent) done(size > limit.bytes ? undefined : Buffer.concat(chunks));
  });
  // A client that goes away in the middle of its body needs no answer.
  request.once('error', forget);
  request.once('close', forget);
}

/** A client that asks before it sends, or that would send far too much. */
function isRefusedUnread(request: IncomingMessage, bytes: number): boolean {
  const announced = Number(request.headers['content-length'] ?? 0);
  return announced > bytes * (awaitsContinue(request) ? 1 : patience);
}

/** RFC 9110 §10.1.1; what HTTP/1.0 says of it does not count. */
function awaitsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.expect?.toLowerCase() === '100-continue';
}
