import ipaddr from 'ipaddr.js';

/** One IPv6 customer has a /64 at least: limits count whole networks there, single addresses in IPv4. */
const IPV6_BITS = 64;

/** What counts as one client: an IPv4 address, or the /64 of an IPv6 address. Anything else stays as it is. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString()}/${IPV6_BITS}`).toString()}/${IPV6_BITS}`;
}
