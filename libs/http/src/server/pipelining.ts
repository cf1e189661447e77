import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Browsers, proxies and HTTP libraries wait for each response. */
const mostAtOnce = 32;

/**
 * Ends a connection with too many pipelined requests (RFC 9112 §9.3.2 allows them). One packet can hold two thousand, and
 * Node handles all of a packet before it serves another connection.
 */
export function withoutFloods(answer: RequestListener): RequestListener {
  const unanswered = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    // The rest of the packet still arrives.
    if (socket.destroyed) return;
    const count = (unanswered.get(socket) ?? 0) + 1;
    if (count > mostAtOnce) {
      socket.destroy();
      return;
    }
    unanswered.set(socket, count);
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    answer(request, response);
  };
}
