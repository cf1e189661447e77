import type { IncomingMessage } from 'node:http';

interface OriginFault {
  /** A word for log and metrics. */
  readonly reason: string;
  readonly detail: string;
}

const safe: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];
/** What a form of another site can send without being asked. */
const ofForms: readonly string[] = ['text/plain', 'application/x-www-form-urlencoded'];

/**
 * Why a request that comes with the cookie was not made by the console itself; undefined when it was.
 * @param origin of the console
 */
export function faultOfOrigin(
  { method = 'GET', headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  origin: string,
): OriginFault | undefined {
  const site = headers['sec-fetch-site'];
  // `none`: a person has typed the address.
  const isFromHere = site === undefined || site === 'same-origin' || (safe.includes(method) && site === 'none');
  if (!isFromHere) return { reason: 'session-other-site', detail: `Sec-Fetch-Site is not same-origin. ${instead}` };
  if (safe.includes(method)) return undefined;
  if (site === undefined && headers.origin !== origin) {
    return { reason: 'session-other-origin', detail: `Origin is not that of the console. ${instead}` };
  }
  if (headers['x-console'] !== '1') {
    return { reason: 'session-no-header', detail: 'With the cookie of the console, send the header X-Console: 1.' };
  }
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  if (ofForms.includes(type.trim().toLowerCase())) {
    return { reason: 'session-form', detail: 'With the cookie of the console, send JSON as application/json.' };
  }
  return undefined;
}

const instead = 'The cookie of the console is for its own pages: from elsewhere, send an API key.';
