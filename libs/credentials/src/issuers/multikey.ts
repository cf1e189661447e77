import { canonicalJwk, parsePublicJwk, type PublicJwk, PublicJwkError } from '@app/primitives/jose';
import { parseStrictJson, StrictJsonError } from '@app/primitives/json';
import { ECDH } from 'node:crypto';
import { decodeBase58 } from './base58btc';

// A P-256 key as jwk_jcs-pub takes about 180 characters.
const MAX_LENGTH = 512;

// Multicodec codes as unsigned varints (multicodec table, "key" entries).
const P256_PUB = Buffer.from([0x80, 0x24]); // 0x1200
const P384_PUB = Buffer.from([0x81, 0x24]); // 0x1201
const ED25519_PUB = Buffer.from([0xed, 0x01]); // 0xed
const JWK_JCS_PUB = Buffer.from([0xd1, 0xd6, 0x03]); // 0xeb51

/**
 * Decodes a multibase public key as did:key and `publicKeyMultibase` carry it: base58btc (`z...`) of a P-256 or
 * P-384 key (compressed point), an Ed25519 key, or a JWK in canonical JSON. Answers `undefined` when it is none of them.
 */
export function decodeMultikey(multibase: string): PublicJwk | undefined {
  if (!multibase.startsWith('z') || multibase.length > MAX_LENGTH) return undefined;
  const bytes = decodeBase58(multibase.slice(1));
  if (bytes === undefined) return undefined;
  if (startsWith(bytes, P256_PUB)) return pointOf('P-256', bytes.subarray(2));
  if (startsWith(bytes, P384_PUB)) return pointOf('P-384', bytes.subarray(2));
  if (startsWith(bytes, ED25519_PUB)) return ed25519(bytes.subarray(2));
  if (startsWith(bytes, JWK_JCS_PUB)) return canonicalJson(bytes.subarray(3));
  return undefined;
}

function startsWith(bytes: Buffer, prefix: Buffer): boolean {
  return bytes.subarray(0, prefix.length).equals(prefix);
}

const curves = { 'P-256': { name: 'prime256v1', bytes: 32 }, 'P-384': { name: 'secp384r1', bytes: 48 } } as const;

function pointOf(crv: keyof typeof curves, compressed: Buffer): PublicJwk | undefined {
  const { name, bytes } = curves[crv];
  if (compressed.length !== 1 + bytes) return undefined;
  try {
    const point = ECDH.convertKey(compressed, name, undefined, undefined, 'uncompressed');
    if (typeof point === 'string') return undefined;
    const [x, y] = [point.subarray(1, 1 + bytes), point.subarray(1 + bytes)];
    return { kty: 'EC', crv, x: x.toString('base64url'), y: y.toString('base64url') };
  } catch {
    return undefined; // not a point of the curve
  }
}

function ed25519(key: Buffer): PublicJwk | undefined {
  return key.length === 32 ? { kty: 'OKP', crv: 'Ed25519', x: key.toString('base64url') } : undefined;
}

function canonicalJson(json: Buffer): PublicJwk | undefined {
  try {
    const jwk = parsePublicJwk(parseStrictJson(json));
    // RFC 8785: one key has one form, hence one DID. For these members it is the RFC 7638 form.
    return canonicalJwk(jwk) === json.toString('utf8') ? jwk : undefined;
  } catch (error) {
    if (error instanceof PublicJwkError || error instanceof StrictJsonError) return undefined;
    throw error;
  }
}
