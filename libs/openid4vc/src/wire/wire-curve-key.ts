import { member, type WireObject } from './wire-object';

/** A public key that others sent, to encrypt to. Whether the point lies on its curve is not known yet. */
export interface WireCurveKey {
  readonly kty: 'EC';
  readonly crv: 'P-256' | 'P-384';
  readonly x: string;
  readonly y: string;
}

/** RFC 7518 §6.2.2, §6.3.2 and §6.4. */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
/** In base64url: 32 bytes, where the last character has two bits more than it needs, and 48. */
const coordinates = { 'P-256': /^[\w-]{42}[AEIMQUYcgkosw048]$/, 'P-384': /^[\w-]{64}$/ } as const;
const longestKeyId = 256;

export function hasPrivateMembers(jwk: WireObject): boolean {
  return privateMembers.some((name) => Object.hasOwn(jwk, name));
}

/** The members that define the key; undefined when it is none on these curves. */
export function readCurveKey(jwk: WireObject): WireCurveKey | undefined {
  const [kty, crv, x, y] = ['kty', 'crv', 'x', 'y'].map((name) => member(jwk, name));
  if (kty !== 'EC' || (crv !== 'P-256' && crv !== 'P-384')) return undefined;
  const isCoordinate = (value: unknown): value is string => typeof value === 'string' && coordinates[crv].test(value);
  return isCoordinate(x) && isCoordinate(y) ? { kty, crv, x, y } : undefined;
}

export function isKeyId(value: unknown): value is string {
  return typeof value === 'string' && value.length <= longestKeyId;
}
