import { OAuthError, renderOAuthErrorBody } from '@app/openid4vc';
import { Problem } from '@app/primitives/problems';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Audience } from '../context/access-decision';
import { HttpReply } from '../context/http-reply';

/**
 * Headers with one value that decide something here. Node reads the first line of each, a proxy on the way perhaps the
 * last. The other headers that are read are lists, or are refused where a list makes no sense.
 */
const singular = new Map([
  ['host', 'Host'],
  ['authorization', 'Authorization'],
  ['content-type', 'Content-Type'],
]);

// RFC 3986 §3.2.2 and §3.2.3; empty for a target without authority (RFC 9112 §3.2).
const hostAndPort = /^(\[[0-9a-fv:.]+\]|[\w.~!$&'()*+,;=%-]*)(:\d*)?$/i;

/**
 * Middleware that refuses a request with two `Host`, `Authorization` or `Content-Type` lines, or with a `Host` that is
 * no host (RFC 9112 §3.2, RFC 6750 §3.1): status 400, in the form of whom the address is for.
 */
export function singularHeaders(
  audienceOf: (path: string) => Audience | undefined,
  reply: (response: ServerResponse, answer: HttpReply) => void,
) {
  return (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void): void => {
    const fault = faultIn(request);
    if (fault === undefined) {
      next();
      return;
    }
    const detail = `The header ${fault.name} ${fault.message}.`;
    // A client that sends two lines may have sent two requests: nothing more is read on this connection.
    const headers = { Connection: 'close' };
    if (audienceOf(request.url ?? '') === 'wallets') {
      const body = renderOAuthErrorBody(new OAuthError('invalid_request', detail));
      reply(response, new HttpReply(400, body, { 'Cache-Control': 'no-store', ...headers }));
      return;
    }
    next(new Problem('validation-failed', detail, [{ pointer: `/${fault.name}`, message: fault.message }], headers));
  };
}

function faultIn({
  headers,
  rawHeaders,
}: IncomingMessage): { readonly name: string; readonly message: string } | undefined {
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index]?.toLowerCase() ?? '';
    const name = singular.get(header);
    if (name === undefined) continue;
    if (seen.has(header)) return { name, message: 'must be sent once' };
    seen.add(header);
  }
  if (hostAndPort.test(headers.host ?? '')) return undefined;
  return { name: 'Host', message: 'must be a host name or address, with a port or without' };
}
