import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import { answerUnparsed, maxHeaderSize } from './unparsed-requests';

/** Browsers, proxies and HTTP libraries wait for each response. */
const mostUnanswered = 32;

const second = 1000;

/** Node accepts as many as the system allows, until memory is gone. Portals are few, wallets are many. */
export const connections = { front: 10_000, management: 1_000 } as const;

/**
 * A server with the limits that hold before the path is known. 400, 408 and 417 are answered with a plain one-line response.
 * @param ofLargeHeaders the body of 431, `application/problem+json`
 */
export function limitedServer(
  application: RequestListener,
  maxConnections: number,
  classes: Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> = {},
  ofLargeHeaders: () => string | undefined = () => undefined,
): Server {
  const answer = withoutFloods(application);
  const server = createServer(
    {
      ...classes,
      maxHeaderSize,
      headersTimeout: 10 * second,
      // The limit for all bodies; each route has a shorter one.
      requestTimeout: 65 * second,
      // Load balancers keep idle connections for 60 seconds. The server must not be the first to close.
      keepAliveTimeout: 65 * second,
      // How late the two timeouts above may fire; 30 seconds by default.
      connectionsCheckingInterval: second,
    },
    answer,
  );
  // A connection without traffic: a response that the client does not read.
  server.timeout = 120 * second;
  server.maxConnections = maxConnections;
  // Without a listener Node invites every body before its size or sender was checked. The connection ends with the
  // response: after a refusal the body may or may not follow.
  server.on('checkContinue', (request, response) => {
    response.setHeader('Connection', 'close');
    answer(request, response);
  });
  server.on('clientError', (error, connection) => {
    answerUnparsed(error, connection, ofLargeHeaders());
  });
  return server;
}

/**
 * Ends a connection with too many pipelined requests (RFC 9112 §9.3.2 allows them). One packet can hold two thousand, and
 * Node handles all of a packet before it serves another connection.
 */
function withoutFloods(answer: RequestListener): RequestListener {
  const unanswered = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    // The rest of the packet still arrives.
    if (socket.destroyed) return;
    const count = (unanswered.get(socket) ?? 0) + 1;
    if (count > mostUnanswered) {
      socket.destroy();
      return;
    }
    unanswered.set(socket, count);
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    answer(request, response);
  };
}
