import { createServer, type RequestListener, type Server } from 'node:http';
import { withoutFloods } from './pipelining';

const kibi = 1024;
const second = 1000;

/** Node takes as many as the system gives, until memory is gone. Portals are few, wallets are many. */
export const connections = { front: 10_000, management: 1_000 } as const;

/** A server with the limits that hold before an address is known. Node answers 400, 408, 417 and 431 in one bare line. */
export function limitedServer(application: RequestListener, maxConnections: number): Server {
  const answer = withoutFloods(application);
  const server = createServer(
    {
      // An access token, a DPoP proof and cookies of a proxy fit in; Node's own default, made certain.
      maxHeaderSize: 16 * kibi,
      headersTimeout: 10 * second,
      // What is left to those who send a body is said for each route; this is the end for all.
      requestTimeout: 65 * second,
      // Load balancers keep idle connections for 60 seconds. Whoever closes first must not be the one who is asked.
      keepAliveTimeout: 65 * second,
      // How late the two timeouts above may be; 30 seconds unless told.
      connectionsCheckingInterval: second,
    },
    answer,
  );
  // A connection on which nothing moves: an answer that nobody reads.
  server.timeout = 120 * second;
  server.maxConnections = maxConnections;
  // Without a listener Node invites every body before its size, or who sends it, was looked at. The connection ends with
  // the answer: after a refusal nobody knows whether the body still follows.
  server.on('checkContinue', (request, response) => {
    response.setHeader('Connection', 'close');
    answer(request, response);
  });
  return server;
}
