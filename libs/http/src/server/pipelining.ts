import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Browsers, proxies and the libraries of portals wait for each answer. */
const mostAtOnce = 32;

/**
 * Ends a connection that asks on and on without waiting for answers (RFC 9112 §9.3.2 allows it). One packet of them
 * holds two thousand requests, and Node hands out all of a packet before anybody else has a turn.
 */
export function withoutFloods(answer: RequestListener): RequestListener {
  const unanswered = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    // What else is in the packet still arrives.
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
