import { HttpReply } from '@app/web';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { RequestListener, Server, ServerResponse } from 'node:http';

/**
 * Nest's Express adapter with a shorter way out: one `writeHead` and one `end` per answer, no ETag computation, no
 * content negotiation of Express. Saves about a quarter of the framework's cost of a request.
 */
export class LeanExpressAdapter extends ExpressAdapter {
  private isEnding = false;

  /** @param newServer makes the HTTP server, with its limits, around the application */
  constructor(private readonly newServer: (answer: RequestListener) => Server) {
    super();
    // Addresses are case-sensitive: what a proxy blocks as `/v0` does not answer as `/V0`. Express takes the
    // setting of this name only before its router exists, and Nest has just made it.
    const { router } = this.getInstance<{ readonly router: { caseSensitive: boolean } }>();
    router.caseSensitive = true;
  }

  /** From now on each answer is the last one on its connection, also the answer to a request that came before. */
  endConnections(): void {
    this.isEnding = true;
  }

  override initHttpServer(): void {
    this.httpServer = this.newServer(this.getInstance<RequestListener>());
  }

  override reply(response: ServerResponse, body: unknown, statusCode?: number): void {
    const reply = body instanceof HttpReply ? body : new HttpReply(statusCode ?? response.statusCode, body);
    const payload = serialise(reply.body);
    if (this.isEnding) response.setHeader('Connection', 'close');
    for (const [name, value] of Object.entries(reply.headers)) {
      response.setHeader(name, value);
    }
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
}

function serialise(body: unknown): string | Uint8Array | undefined {
  if (body === undefined || body === null) return undefined;
  return typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
}
