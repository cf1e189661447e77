import { traceTenant } from '@app/observability';
import { currentTenant, inTenant } from '@app/primitives/context';
import { Deadline } from '@app/primitives/time';
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Scope } from './access-decision';

/** Correlates the log lines of one request, and the traces of other systems with them. */
export interface RequestContext {
  readonly requestId: string;
  /** W3C Trace Context, version 00. */
  readonly traceparent: string;
}

/** Who calls the management API. */
export interface Principal {
  /** The same after a restart and on every replica; not secret, so it may appear in logs and records. */
  readonly id: string;
  /** The portal, or other system, on whose behalf it calls: the same before and after a change of its keys. Not secret either. */
  readonly client: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The templates to which a scope is limited; a scope that is not in it is for all. */
  readonly templates?: ReadonlyMap<Scope, ReadonlySet<string>>;
  /** Who has signed in to the console; absent for keys and tokens. */
  readonly person?: SignedInPerson;
}

/** A person behind a session of the console. */
export interface SignedInPerson {
  /** As the provider calls them: for people to read, sealed in what is stored, and never in logs and the audit. */
  readonly name: string;
  /** Whether they have proven within the last ten minutes that it is them. */
  readonly isFresh: boolean;
}

/** Rejects when that cannot be determined at the moment. */
export type StillAllowed = (scope: Scope) => Promise<boolean>;

/** Why a wallet was refused, in words of the code. */
export interface NotedRefusal {
  readonly error: string;
  readonly reason: string;
}

/** A request in progress; its sender becomes known on the way. */
export interface RequestState {
  readonly request: RequestContext;
  readonly principal?: Principal;
  /** Whether the caller would be let in again now, with this scope. */
  readonly isStillAllowed?: StillAllowed;
  /** On whose behalf outgoing requests are made, where that is not the request itself. */
  readonly requester?: string;
  /** When the response is due. */
  readonly deadline?: Deadline;
  /** Of a wallet, once it is refused. */
  readonly refusal?: NotedRefusal;
  /** By its id; absent for requests to the issuer of the settings. */
  readonly tenant?: string;
}

const context = new AsyncLocalStorage<{ -readonly [Member in keyof RequestState]: RequestState[Member] }>();

/** The state of the current request. Callbacks of sockets run outside of it and have to capture it before. */
export function currentRequestState(): RequestState | undefined {
  return context.getStore();
}

/** Binds a callback of a socket to the current request. */
export function inThisRequest<Given extends unknown[]>(work: (...given: Given) => void): (...given: Given) => void {
  const state = context.getStore();
  if (!state) return work;
  const tenant = currentTenant();
  // `AsyncResource.bind` captures every context there is, which costs 1 % of a request.
  return (...given) => {
    inTenant(tenant, () => {
      context.run(state, work, ...given);
    });
  };
}

/** The current request; `undefined` outside of any. */
export function currentRequest(): RequestContext | undefined {
  return context.getStore()?.request;
}

/** The caller of the current request; `undefined` for wallets, unauthenticated callers and outside of any request. */
export function currentPrincipal(): Principal | undefined {
  return context.getStore()?.principal;
}

/**
 * The stable name of who calls, in which two sessions, devices or tokens of one person are the same: issuer and subject at the
 * provider. What a person asked for is compared with it, never with a session.
 */
export function currentSubject(): string | undefined {
  return currentPrincipal()?.id;
}

/** What connects the log lines of the current request, and them with the traces of others; outside of any at most the tenant. */
export function currentLogContext(): object {
  const state = context.getStore();
  if (!state) return { tenant: currentTenant()?.id };
  const { requestId, traceparent } = state.request;
  const { id: principal, client } = state.principal ?? {};
  return { requestId, traceId: traceparent.split('-')[1], tenant: state.tenant, principal, client };
}

/** The deadline of the current request; `undefined` outside of any. */
export function currentDeadline(): Deadline | undefined {
  return context.getStore()?.deadline;
}

/** Middleware that starts the deadline of a request. @param budgetOf milliseconds, by path */
export function requestDeadline(budgetOf: (path: string) => number) {
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const store = context.getStore();
    if (store) {
      const deadline = new Deadline(budgetOf(request.url ?? ''));
      store.deadline = deadline;
      response.once('close', () => {
        if (response.writableEnded) deadline.release();
        else deadline.end();
      });
    }
    next();
  };
}

/** Middleware that starts the deadline of the request again. */
export function restartDeadline(_request: unknown, _response: unknown, next: () => void): void {
  context.getStore()?.deadline?.restart();
  next();
}

/** Runs work that goes on when the client of the request has disconnected. */
export function outsideRequest<T>(work: () => T): T {
  return context.exit(work);
}

/** Sets why the wallet of the current request is refused, for logs and metrics. */
export function noteRefusal(refusal: NotedRefusal): void {
  const store = context.getStore();
  if (store) store.refusal = refusal;
}

/** Sets the tenant whose address was asked for. */
export function noteTenant(tenant: string): void {
  const store = context.getStore();
  if (store) store.tenant = tenant;
  traceTenant(tenant);
}

/** Sets on whose behalf the rest of the request calls other servers; each requester has a share of the outgoing slots. */
export function askOthersFor(requester: string): void {
  const store = context.getStore();
  if (store) store.requester = requester;
}

/** On whose behalf other servers are called now: a portal, the request that a wallet answers, or else the current request. */
export function currentRequester(): string {
  const store = context.getStore();
  if (!store) return 'service';
  const requester = store.requester ?? store.principal?.client ?? store.request.requestId;
  // Portals of several tenants may have the same name.
  return store.tenant === undefined ? requester : `${store.tenant} ${requester}`;
}

/** Sets the caller of the current request, once it is known. @param isStillAllowed for responses that outlast a key */
export function actAs(principal: Principal, isStillAllowed: StillAllowed): void {
  const store = context.getStore();
  if (!store) throw new Error('There is no current request.');
  store.principal = principal;
  store.isStillAllowed = isStillAllowed;
}

// Returned in headers and written to logs: nothing that could break out of either.
export const requestIdPattern = '^[A-Za-z0-9._~:/+=@-]{1,128}$';
const requestIdForm = new RegExp(requestIdPattern);
// Trace Context §3.2.2: lower case, neither identifier all zeros.
const traceparentPattern = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * Middleware that takes the caller's `X-Request-Id` and `traceparent` when they are well formed, makes its own
 * otherwise, and answers with both.
 */
export function requestContext(request: IncomingMessage, response: ServerResponse, next: () => void): void {
  const { 'x-request-id': requestId, traceparent } = request.headers;
  const known: RequestContext = {
    requestId: typeof requestId === 'string' && requestIdForm.test(requestId) ? requestId : randomUUID(),
    traceparent: typeof traceparent === 'string' && traceparentPattern.test(traceparent) ? traceparent : newTrace(),
  };
  response.setHeader('X-Request-Id', known.requestId);
  response.setHeader('traceparent', known.traceparent);
  context.run({ request: known }, next);
}

/** A trace that is not sampled (flags 00). */
function newTrace(): string {
  const span = randomUUID();
  return `00-${randomUUID().replaceAll('-', '')}-${span.slice(0, 8)}${span.slice(24, 32)}-00`;
}
