import type { IncomingMessage } from 'node:http';

/**
 * The address a request comes from: the peer's, or the one a trusted proxy names in `X-Forwarded-For`. Empty when the
 * connection is already gone.
 */
export function clientAddressOf(request: IncomingMessage & { readonly ip?: string }): string {
  // Express works `ip` out by its setting `trust proxy`.
  return request.ip ?? request.socket.remoteAddress ?? '';
}
