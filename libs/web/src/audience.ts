/** For whom an address is: it decides the listener, the limits and what browsers are told. */
export type Audience = 'wallets' | 'portals' | 'everybody';

const audiences: ReadonlyMap<string, Audience> = new Map([
  ['.well-known', 'wallets'],
  ['did.json', 'wallets'],
  ['jwks.json', 'wallets'],
  ['openid4vci', 'wallets'],
  ['openid4vp', 'wallets'],
  ['status_lists', 'wallets'],
  ['vct', 'wallets'],
  ['v0', 'portals'],
  ['docs', 'portals'],
  ['openapi.json', 'portals'],
  ['livez', 'everybody'],
  ['readyz', 'everybody'],
  ['problems', 'everybody'],
]);

/**
 * By the first segment, in the one spelling that the router knows too.
 * @param path of a request, with or without its query, or of a route
 * @returns undefined for an address that is nobody's
 */
export function audienceOf(path: string): Audience | undefined {
  const end = path.slice(1).search(/[/?#]/);
  return audiences.get(end === -1 ? path.slice(1) : path.slice(1, end + 1));
}
