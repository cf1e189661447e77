import type { AnsweredRequest } from '@app/metrics';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Express leaves the route that took a request on it. */
type Routed = IncomingMessage & { readonly route?: { readonly path: string } };

const clientClosedRequest = 499;

/** Middleware that tells of each request once its answer is out. Comes first, so that the whole time counts. */
export function answeredRequests(tell: (request: AnsweredRequest) => void) {
  return (request: Routed, response: ServerResponse, next: () => void): void => {
    const begin = performance.now();
    response.once('close', () => {
      tell({
        method: request.method ?? '',
        route: request.route?.path ?? 'unmatched',
        status: response.writableEnded ? response.statusCode : clientClosedRequest,
        seconds: (performance.now() - begin) / 1000,
      });
    });
    next();
  };
}

/** Asked by machines every few seconds. */
export function isProbe({ route }: AnsweredRequest): boolean {
  return route === '/livez' || route === '/readyz';
}
