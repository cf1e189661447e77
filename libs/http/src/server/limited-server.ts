import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { withoutFloods } from './pipelining';
import { answerUnparsed, maxHeaderSize } from './unparsed-requests';

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
