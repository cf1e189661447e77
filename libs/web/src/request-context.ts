import type { Deadline } from '@app/time';
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Scope } from './access-decision';

/** What connects the log lines, and the traces of other systems, of one request. */
export interface RequestContext {
  readonly requestId: string;
  /** W3C Trace Context, version 00. */
  readonly traceparent: string;
}

/** Who calls the management API. */
export interface Principal {
  /** The same after a restart and on every replica; no secret, so it may stand in logs and records. */
  readonly id: string;
  /** The portal, or other system, on whose behalf it calls: the same before and after a change of its keys. No secret either. */
  readonly client: string;
  readonly scopes: ReadonlySet<Scope>;
}

/** A request while it is being answered: who sent it becomes known on the way. */
export interface RequestState {
  readonly request: RequestContext;
  readonly principal?: Principal;
  /** In whose name other servers are asked, where that is known better than by the request itself. */
  readonly requester?: string;
  /** When the answer has to be there. */
  readonly deadline?: Deadline;
}

const context = new AsyncLocalStorage<{ -readonly [Member in keyof RequestState]: RequestState[Member] }>();

/** For whoever is called back by the socket, which knows no request: to be asked while the request is, and kept. */
export function currentRequestState(): RequestState | undefined {
  return context.getStore();
}

/** Lets work that the socket will call go on as part of the request that is being answered now. */
export function inThisRequest<Given extends unknown[]>(work: (...given: Given) => void): (...given: Given) => void {
  const state = context.getStore();
  if (!state) return work;
  // `AsyncResource.bind` keeps every context there is, and costs a hundredth of a request.
  return (...given) => {
    context.run(state, work, ...given);
  };
}

/** The request that is being answered; `undefined` outside of any. */
export function currentRequest(): RequestContext | undefined {
  return context.getStore()?.request;
}

/** Who sent the request that is being answered; `undefined` for wallets, strangers and outside of any request. */
export function currentPrincipal(): Principal | undefined {
  return context.getStore()?.principal;
}

/** How long the client waits for what is being done now; `undefined` outside of any request. */
export function currentDeadline(): Deadline | undefined {
  return context.getStore()?.deadline;
}

/**
 * Middleware from which on the request has so many milliseconds; a later one gives it its own.
 * @param budgetOf by the path
 */
export function requestDeadline(budgetOf: (path: string) => number) {
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const store = context.getStore();
    if (store) {
      const controller = new AbortController();
      // A batch waits for many things at once; beyond ten Node would warn on stderr, which is the log.
      setMaxListeners(0, controller.signal);
      const budget = budgetOf(request.url ?? '');
      const end = (): void => {
        controller.abort(ended);
      };
      const timer = setTimeout(end, budget);
      response.once('close', () => {
        clearTimeout(timer);
        if (!response.writableEnded) end();
      });
      store.deadline = { at: performance.now() + budget, signal: controller.signal };
    }
    next();
  };
}

/** Does work that has to be done although the client of the request has gone. */
export function outsideRequest<T>(work: () => T): T {
  return context.exit(work);
}

/** Says in whose name the rest of the request asks other servers: everything done for one of them shares one share. */
export function askOthersFor(requester: string): void {
  const store = context.getStore();
  if (store) store.requester = requester;
}

/** In whose name other servers are asked now: a portal, what a wallet answers, or else the request. */
export function currentRequester(): string {
  const store = context.getStore();
  if (!store) return 'service';
  return store.requester ?? store.principal?.client ?? store.request.requestId;
}

/** A reason of its own for each would cost a stack trace. */
const ended = new Error('Nobody waits for the answer any more.');

/** Says who sent the request that is being answered, once it is known. */
export function actAs(principal: Principal): void {
  const store = context.getStore();
  if (!store) throw new Error('There is no request to act in.');
  store.principal = principal;
}

// What strangers send comes back in headers and stands in logs: nothing that could break out of either.
const requestIdPattern = /^[A-Za-z0-9._~:/+=@-]{1,128}$/;
// Trace Context §3.2.2: lower case, neither identifier all zeros.
const traceparentPattern = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * Middleware that takes the caller's `X-Request-Id` and `traceparent` when they are well formed, makes its own
 * otherwise, and answers with both.
 */
export function requestContext(request: IncomingMessage, response: ServerResponse, next: () => void): void {
  const { 'x-request-id': requestId, traceparent } = request.headers;
  const known: RequestContext = {
    requestId: typeof requestId === 'string' && requestIdPattern.test(requestId) ? requestId : randomUUID(),
    traceparent: typeof traceparent === 'string' && traceparentPattern.test(traceparent) ? traceparent : newTrace(),
  };
  response.setHeader('X-Request-Id', known.requestId);
  response.setHeader('traceparent', known.traceparent);
  context.run({ request: known }, next);
}

/** A trace that nobody records yet (flags 00). */
function newTrace(): string {
  const span = randomUUID();
  return `00-${randomUUID().replaceAll('-', '')}-${span.slice(0, 8)}${span.slice(24, 32)}-00`;
}
