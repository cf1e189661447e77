import type { AnsweredRequest } from '@app/observability';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { currentRequestState, type RequestState } from '../context/request-context';
import { streamBegins } from './open-streams';

/** Express leaves the route that took a request on it. */
type Routed = IncomingMessage & { readonly route?: { readonly path: string } };

const clientClosedRequest = 499;

export type AnswerListener = (answered: AnsweredRequest, state: RequestState | undefined) => void;

/**
 * Middleware that reports each request once its response is out. It comes right after the request context, so that the
 * whole time counts.
 * @param templateOf the route of a request that was rejected before the router matched it
 */
export function answeredRequests(
  listeners: readonly AnswerListener[],
  templateOf: (method: string, path: string) => string | undefined,
) {
  return (request: Routed, response: ServerResponse, next: () => void): void => {
    const begin = performance.now();
    const { method = '' } = request;
    const state = currentRequestState();
    const report = (isStream: boolean): void => {
      response.off(streamBegins, begun).off('close', ended);
      const answered: AnsweredRequest = {
        method,
        route: request.route?.path ?? templateOf(method, request.url?.split('?', 1)[0] ?? '') ?? 'unmatched',
        status: response.writableEnded || isStream ? response.statusCode : clientClosedRequest,
        seconds: (performance.now() - begin) / 1000,
      };
      for (const listener of listeners) listener(answered, state);
    };
    // A stream lasts as long as its client listens: what counts is how long it takes to begin.
    const begun = (): void => {
      report(true);
    };
    const ended = (): void => {
      report(false);
    };
    response.once(streamBegins, begun);
    response.once('close', ended);
    next();
  };
}

/** Probes come every few seconds. */
export function isProbe({ route }: AnsweredRequest): boolean {
  return route === '/livez' || route === '/readyz';
}
