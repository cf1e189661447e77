import ipaddr from 'ipaddr.js';

/** One IPv6 customer has a /64 at least: limits count whole networks there, single addresses in IPv4. */
const IPV6_BITS = 64;

// Some proxies write the port of the client too; it is another one for each connection.
const withPort = /^(?:\[([^\]]+)\](?::\d+)?|([^:]+):\d+)$/;

/**
 * What counts as one client: an IPv4 address, or the /64 of an IPv6 address, with its port or without. Whatever is no
 * address counts as one client together, the empty one: a proxy that passes rubbish on must not give out names for it.
 */
export function networkOf(text: string): string {
  const [, ipv6, ipv4] = withPort.exec(text) ?? [];
  const address = ipv6 ?? ipv4 ?? text;
  if (!ipaddr.isValid(address)) return '';
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString()}/${IPV6_BITS}`).toString()}/${IPV6_BITS}`;
}
