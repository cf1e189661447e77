import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** What connects the log lines, and the traces of other systems, of one request. */
export interface RequestContext {
  readonly requestId: string;
  /** W3C Trace Context, version 00. */
  readonly traceparent: string;
}

const context = new AsyncLocalStorage<RequestContext>();

/** The request that is being answered; `undefined` outside of any. */
export function currentRequest(): RequestContext | undefined {
  return context.getStore();
}

// What strangers send comes back in headers and stands in logs: nothing that could break out of either.
const requestIdPattern = /^[A-Za-z0-9._~:/+=@-]{1,128}$/;
// Trace Context §3.2.2: lower case, neither identifier all zeros.
const traceparentPattern = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * Middleware that takes the caller's `X-Request-Id` and `traceparent` when they are well formed, makes its own
 * otherwise, and answers with both. Comes after whatever waits for the body: events of the socket know no request.
 */
export function requestContext(request: IncomingMessage, response: ServerResponse, next: () => void): void {
  const { 'x-request-id': requestId, traceparent } = request.headers;
  const known: RequestContext = {
    requestId: typeof requestId === 'string' && requestIdPattern.test(requestId) ? requestId : randomUUID(),
    traceparent: typeof traceparent === 'string' && traceparentPattern.test(traceparent) ? traceparent : newTrace(),
  };
  response.setHeader('X-Request-Id', known.requestId);
  response.setHeader('traceparent', known.traceparent);
  context.run(known, next);
}

/** A trace that nobody records yet (flags 00). */
function newTrace(): string {
  const span = randomUUID();
  return `00-${randomUUID().replaceAll('-', '')}-${span.slice(0, 8)}${span.slice(24, 32)}-00`;
}
