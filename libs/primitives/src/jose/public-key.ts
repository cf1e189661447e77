import { createPublicKey, type KeyObject } from 'node:crypto';
import { canonicalJwk, type PublicJwk } from './public-jwk';

const CACHED_KEYS = 1_000;

// A Map iterates in insertion order: a key that is used moves to the end, the one at the front is the oldest.
const imported = new Map<string, KeyObject>();

/**
 * Imports a public key for `node:crypto` and keeps the most recently used ones, because importing a P-256 key costs
 * as much as verifying with it. Returns `undefined` for a point that is not on the curve (OpenSSL checks EC points)
 * and for an Ed25519 point of small order or in a non-canonical encoding.
 */
export function importPublicKey(jwk: PublicJwk): KeyObject | undefined {
  const id = canonicalJwk(jwk);
  const known = imported.get(id);
  if (known !== undefined) {
    imported.delete(id);
    imported.set(id, known);
    return known;
  }
  if (jwk.crv === 'Ed25519' && !isSoundEd25519Point(Buffer.from(jwk.x, 'base64url'))) return undefined;
  let key: KeyObject;
  try {
    key = createPublicKey({ key: { ...jwk }, format: 'jwk' });
  } catch {
    return undefined;
  }
  imported.set(id, key);
  if (imported.size > CACHED_KEYS) {
    for (const oldest of imported.keys()) {
      imported.delete(oldest);
      break;
    }
  }
  return key;
}

// The y coordinates (little endian, sign bit cleared) of the eight Ed25519 points whose order divides 8. With such a
// "public key" one signature fits many messages, so it proves possession of nothing.
const SMALL_ORDER = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000', // order 4
  '0100000000000000000000000000000000000000000000000000000000000000', // order 1
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f', // order 2
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05', // order 8
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a', // order 8
]);

/** A y that is no point of the curve at all needs no check here: OpenSSL fails every signature under it. */
function isSoundEd25519Point(encoded: Buffer): boolean {
  const y = Buffer.from(encoded);
  y.writeUInt8(y.readUInt8(31) & 0x7f, 31);
  // RFC 8032 §5.1.3: y must be below p = 2^255 - 19, whose little endian bytes are ed ff .. ff 7f.
  const belowPrime =
    y.readUInt8(0) < 0xed || y.readUInt8(31) !== 0x7f || y.subarray(1, 31).some((byte) => byte !== 0xff);
  return belowPrime && !SMALL_ORDER.has(y.toString('hex'));
}
