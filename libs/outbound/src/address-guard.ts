import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { buildConnector } from 'undici';
import { OutboundError } from './outbound-error';

/**
 * Says whether an IP address (text without brackets) belongs to the public internet: unicast, in no special-purpose
 * range (RFC 6890), and for IPv6 within 2000::/3, so that mapped, translated and `::a.b.c.d` forms are out too.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || ((parsed.toByteArray()[0] ?? 0) & 0xe0) === 0x20;
}

/**
 * Wraps a connector of undici so that no connection to a private address comes about. Three checks, because undici
 * asks no `lookup` for an IP literal: the literal here, the names in `publicLookup`, the connected socket at the end.
 */
export function guardConnector(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !isPublicAddress(host)) {
      callback(blocked(), null);
      return;
    }
    connect(options, (...[error, socket]: Parameters<buildConnector.Callback>) => {
      if (error !== null) {
        callback(error, null);
      } else if (socket.remoteAddress === undefined || !isPublicAddress(socket.remoteAddress)) {
        socket.destroy();
        callback(blocked(), null);
      } else {
        callback(null, socket);
      }
    });
  };
}

/**
 * A `lookup` for sockets that keeps only public addresses of what `resolve` answers. The socket connects to the very
 * addresses that were checked, hence a name that resolves otherwise a moment later (DNS rebinding) gains nothing.
 */
export function publicLookup(resolve: typeof systemLookup = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        callback(new OutboundError('unresolved-host', 'the host name does not resolve', { cause: error }), '');
        return;
      }
      const allowed = addresses.filter(({ address }) => isPublicAddress(address));
      const [first] = allowed;
      if (first === undefined) callback(blocked(), '');
      else if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

/** Throws `OutboundError` when a host (IPv6 addresses in brackets) has no public address now. */
export async function assertPublicHost(hostname: string): Promise<void> {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) {
    if (!isPublicAddress(host)) throw blocked();
    return;
  }
  await new Promise<void>((resolve, reject) => {
    publicLookup()(host, { all: true }, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}

function blocked(): OutboundError {
  return new OutboundError('blocked-address', 'the host is not on the public internet');
}
