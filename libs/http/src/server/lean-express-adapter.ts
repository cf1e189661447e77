import { type ExceptionFilter, type INestApplication, Logger } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { HttpReply } from '../context/http-reply';
import { DirectRoutes, type RouteHandler } from './direct-routes';
import { flatResponses } from './flat-response';
import { connections, limitedServer } from './limited-server';
import { OpenStreams } from './open-streams';
import { routePlans } from './route-plans';
import { largeHeaders } from './unparsed-requests';

export type Middleware = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

interface Application extends RequestListener {
  readonly router: { caseSensitive: boolean };
  readonly request: object;
  readonly response: object;
}

type Routed = IncomingMessage & {
  originalUrl?: string;
  params?: Readonly<Record<string, string>>;
  route?: { readonly path: string };
};

type Register = (path: string, handler: RouteHandler) => unknown;

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Sees each answer before it is sent. */
export type ReplyObserver = (request: IncomingMessage, reply: HttpReply) => void;

type ErrorHandler = (error: unknown, ...rest: Parameters<RouteHandler>) => unknown;

/**
 * Nest's Express adapter with a shorter way through: requests pass the middlewares and reach the handler of a plain
 * address without Express, which serves all others. An answer is one `writeHead` and one `end`, without Express's ETag
 * and content negotiation.
 */
export class LeanExpressAdapter extends ExpressAdapter {
  private isEnding = false;
  private readonly streams = new OpenStreams();
  private middlewares: readonly Middleware[] = [];
  private readonly direct = new DirectRoutes();
  /** What Nest has registered, as in `GET /v0/offers/:offerId`. */
  private readonly noted = new Set<string>();
  private plans: ReadonlyMap<string, RouteHandler> = new Map();
  private readonly failures = new Logger('Http');
  private onError: ErrorHandler | undefined;
  private observe: ReplyObserver | undefined;
  private ofLargeHeaders: string | undefined;
  private readonly flat = flatResponses();
  /** With what Express gives requests and responses. */
  private readonly classes = {
    IncomingMessage: class extends IncomingMessage {},
    ServerResponse: class<Request extends IncomingMessage> extends this.flat<Request> {},
  };

  constructor() {
    super();
    const { router, request, response } = this.application;
    // Addresses are case-sensitive: what a proxy blocks as `/v0` does not answer as `/V0`. Express takes the
    // setting of this name only before its router exists, and Nest has just made it.
    router.caseSensitive = true;
    // Express would otherwise change the prototype of each request, which makes it slow for the engine.
    Object.setPrototypeOf(this.classes.IncomingMessage.prototype, request);
    // What Express answers has flat headers as well.
    Object.setPrototypeOf(this.flat.prototype, Object.getPrototypeOf(response) as object);
    Object.setPrototypeOf(response, this.flat.prototype);
    Object.setPrototypeOf(this.classes.ServerResponse.prototype, response);
    this.noteRoutes();
  }

  /** What every request passes, in this order, before its route is looked up. */
  passThrough(...middlewares: readonly Middleware[]): void {
    this.middlewares = middlewares;
  }

  /**
   * From now on plans answer the routes of controllers, in place of Nest. Throws for a route without one: it would be
   * answered past every gate.
   */
  plan(app: INestApplication, usual: ExceptionFilter): void {
    this.plans = routePlans(app, {
      usual,
      respond: (response, body, status) => {
        this.reply(response, body, status);
      },
      fail: (error, request, response) => {
        this.fail(error, request, response);
      },
    });
    const unplanned = [...this.noted].filter((route) => !this.plans.has(route));
    if (unplanned.length > 0)
      throw new Error(`A controller has to declare by a method of its own: ${unplanned.join(', ')}.`);
  }

  /** From now on each answer is seen by the observer as well. */
  observeReplies(observer: ReplyObserver): void {
    this.observe = observer;
  }

  /** Answers requests with too large headers, which do not reach the application, by a problem. */
  explainLargeHeaders(publicUrl: string): void {
    this.ofLargeHeaders = largeHeaders(publicUrl);
  }

  /** A server for the application. */
  newServer(maxConnections: number): Server {
    const listener = (request: Routed, response: ServerResponse): void => {
      request.originalUrl = request.url ?? '';
      this.pass(request, response, 0);
    };
    return limitedServer(listener, maxConnections, this.classes, () => this.ofLargeHeaders);
  }

  override initHttpServer(): void {
    this.httpServer = this.newServer(connections.front);
  }

  /** From now on each answer is the last one on its connection, also the answer to a request that came before. */
  endConnections(): void {
    this.isEnding = true;
  }

  /** Ends the responses that would go on for as long as their clients listen, and from now on each new one at once. */
  endStreams(): void {
    this.streams.end();
  }

  override setErrorHandler(handler: ErrorHandler): unknown {
    this.onError = handler;
    return super.setErrorHandler(handler) as unknown;
  }

  override status(response: ServerResponse, status: number): void {
    response.statusCode = status;
  }

  override setHeader(response: ServerResponse, name: string, value: string): void {
    response.setHeader(name, value);
  }

  override reply(response: ServerResponse, body: unknown, statusCode?: number): void {
    const reply = body instanceof HttpReply ? body : new HttpReply(statusCode ?? response.statusCode, body);
    this.observe?.(response.req, reply);
    if (this.isEnding) response.setHeader('Connection', 'close');
    for (const [name, value] of Object.entries(reply.headers)) {
      response.setHeader(name, value);
    }
    if (reply.body instanceof Readable) {
      this.streams.send(response, reply.status, reply.body);
      return;
    }
    const payload = serialise(reply.body);
    if (payload === undefined) {
      const hasNoBody = reply.status === 204 || reply.status === 304;
      response.writeHead(reply.status, hasNoBody ? {} : { 'Content-Length': 0 });
      response.end();
      return;
    }
    if (!response.hasHeader('Content-Type')) {
      response.setHeader('Content-Type', 'application/json; charset=utf-8');
    }
    response.writeHead(reply.status, { 'Content-Length': Buffer.byteLength(payload) });
    response.end(payload);
  }

  private get application(): Application {
    return this.getInstance<Application>();
  }

  /** Nest registers each route by the method of this name. */
  private noteRoutes(): void {
    const router = this as unknown as Record<(typeof methods)[number], Register>;
    for (const method of methods) {
      const register = router[method].bind(this);
      router[method] = (path, handler) => {
        const route = `${method.toUpperCase()} ${path}`;
        this.noted.add(route);
        const planned: RouteHandler = (...given) => (this.plans.get(route) ?? handler)(...given);
        this.direct.add(method.toUpperCase(), path, planned);
        return register(path, planned);
      };
    }
  }

  private pass(request: Routed, response: ServerResponse, step: number): void {
    const middleware = this.middlewares[step];
    if (!middleware) {
      this.answer(request, response);
      return;
    }
    try {
      middleware(request, response, (error) => {
        if (error === undefined) this.pass(request, response, step + 1);
        else this.fail(error, request, response);
      });
    } catch (error) {
      this.fail(error, request, response);
    }
  }

  private answer(request: Routed, response: ServerResponse): void {
    const found = this.direct.find(request.method ?? '', request.url ?? '');
    if (!found) {
      this.application(request, response);
      return;
    }
    request.params = found.params;
    request.route = found;
    const next = (): void => {
      this.application(request, response);
    };
    // As Express does. Nest answers what a handler throws, unless the answer itself fails.
    (found.handler(request, response, next) as Promise<unknown> | undefined)?.then(undefined, (error: unknown) => {
      this.fail(error, request, response);
    });
  }

  private fail(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    const answered = new Promise((resolve) => {
      resolve(this.onError?.(error, request, response, () => undefined));
    });
    answered.catch((failure: unknown) => {
      this.failures.error({ event: 'request.failed', err: failure });
      // What has been sent of an answer cannot be taken back.
      if (!response.headersSent) response.writeHead(500, { 'Content-Length': 0 }).end();
      else if (!response.writableEnded) response.destroy();
    });
  }
}

function serialise(body: unknown): string | Uint8Array | undefined {
  if (body === undefined || body === null) return undefined;
  return typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
}
