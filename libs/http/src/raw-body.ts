import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';

/**
 * A request body as it came over the wire. Parsing waits until the endpoint is known, because portals and wallets are
 * told about a bad body in different dialects.
 */
export class RawBody {
  constructor(
    /** Undefined when the body was larger than `limit` bytes. */
    readonly bytes: Buffer | undefined,
    /** Media type in lower case without parameters; empty when the header is absent. */
    readonly mediaType: string,
    readonly limit: number,
  ) {}
}

type Next = (error?: unknown) => void;

/** Middleware that reads the whole body, up to the limit of the path, into a {@link RawBody} at `request.body`. */
export function rawBody(limitOf: (path: string) => number) {
  return (request: IncomingMessage & { body?: unknown }, _response: unknown, next: Next): void => {
    const mediaType = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
    if (request.headers['content-length'] === undefined && request.headers['transfer-encoding'] === undefined) {
      request.body = new RawBody(Buffer.alloc(0), mediaType, 0);
      next();
      return;
    }
    const limit = limitOf(request.url ?? '');
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      // What is too large is read on without being kept, so that the client gets the answer; but not for ever.
      if (size > limit * 16) request.destroy();
    });
    // Events of the socket know no request: what follows goes on in the context of the one that waited.
    const proceed = AsyncResource.bind(next);
    request.once('end', () => {
      request.body = new RawBody(size > limit ? undefined : Buffer.concat(chunks), mediaType, limit);
      proceed();
    });
    // A client that goes away in the middle of its body needs no answer.
    request.once('error', () => undefined);
  };
}
