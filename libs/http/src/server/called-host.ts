import { urlOf } from '@app/primitives/url';
import type { IncomingMessage } from 'node:http';

/**
 * A host as addresses are compared: lower case, IDN in Punycode, without a dot at the end and a default port. `undefined` for what is none.
 * @param host name or address, with a port or without
 */
export function canonicalHost(host: string): string | undefined {
  const url = /^[^\s/?#@\\]+$/.test(host) ? urlOf(`https://${host}`) : undefined;
  if (url === undefined) return undefined;
  const { hostname, port } = url;
  return hostname.replace(/\.$/, '') + (port === '' || port === '80' ? '' : `:${port}`);
}

/** Whether a host may be that of a tenant: a name of several labels. Probes and networks of containers use addresses and short names. */
export function mayBeOfTenant(host: string): boolean {
  return /^[^[\]]+\.[^.:]*[a-z][^.:]*(:\d+)?$/.test(host);
}

/**
 * The hosts that a request names, the one that counts most first: that of the connection before the one that a proxy, which has to be trusted, says that
 * it was called by.
 */
export function calledHosts(request: IncomingMessage & { readonly host?: string }): readonly string[] {
  // A target in absolute form names the host, whatever `Host` says (RFC 9112 §3.2.2).
  const [, inTarget] = /^https?:\/\/([^/?#\\]+)/i.exec(request.url ?? '') ?? [];
  const called = inTarget ?? request.headers.host ?? '';
  // Express works `host` out by its setting `trust proxy`.
  return request.host === undefined || request.host === request.headers.host ? [called] : [called, request.host];
}
