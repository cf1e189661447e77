import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpReply } from '../context/http-reply';
import type { RouteTable } from './route-table';

/** Headers that a page may read in addition to the body and its type. */
const exposedHeaders = 'DPoP-Nonce, OAuth-Client-Attestation-Challenge, Retry-After, WWW-Authenticate, X-Request-Id';

/** What wallets send beyond what a form could; some prove possession of a key (DPoP) whether asked to or not. */
const allowedHeaders =
  'Authorization, Content-Type, DPoP, OAuth-Client-Attestation, OAuth-Client-Attestation-PoP, traceparent, X-Request-Id';

/** Two hours, the longest that any browser keeps it. */
const keptFor = '7200';

/**
 * For every answer to wallets, also for refusals: any page may read it. No origin is named and no cookie allowed:
 * the only one of ours is for our own pages.
 */
export const forAllOrigins = [
  ['Access-Control-Allow-Origin', '*'],
  ['Access-Control-Expose-Headers', exposedHeaders],
] as const;

/** Middleware that answers the questions browsers ask before the requests of a page; only where wallets are served. */
export function corsPreflight(
  { methodsOf, audienceOf }: Pick<RouteTable, 'methodsOf' | 'audienceOf'>,
  reply: (response: ServerResponse, answer: HttpReply) => void,
) {
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const isForWallets = isPreflight(request) && audienceOf(request.url ?? '') === 'wallets';
    const methods = isForWallets ? methodsOf(request.url?.split('?', 1)[0] ?? '') : [];
    if (methods.length === 0) {
      next();
      return;
    }
    const headers = {
      'Access-Control-Allow-Methods': methods.join(', '),
      'Access-Control-Allow-Headers': allowedHeaders,
      'Access-Control-Max-Age': keptFor,
    };
    reply(response, new HttpReply(204, undefined, headers));
  };
}

function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}
