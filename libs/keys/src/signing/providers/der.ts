import { createPublicKey } from 'node:crypto';
import { parsePublicJwk } from '@app/primitives/jose';
import type { ProviderKey } from './provider';

/** Of a coordinate of P-256, and of r and s. */
const bytes = 32;

/**
 * The 64 bytes of JWS (RFC 7518 §3.4) of an ECDSA signature of P-256 in DER: a SEQUENCE of two positive INTEGERs in the one encoding that DER
 * has, and nothing else; `undefined` for anything else.
 */
export function rawSignature(der: Buffer): Buffer | undefined {
  if (der[0] !== 0x30 || der[1] !== der.length - 2) return undefined;
  const r = integerAt(der, 2);
  const s = r && integerAt(der, r.end);
  return r && s?.end === der.length ? Buffer.concat([r.padded, s.padded]) : undefined;
}

function integerAt(der: Buffer, start: number): { readonly padded: Buffer; readonly end: number } | undefined {
  const length = der[start + 1] ?? 0;
  const begin = start + 2;
  const end = begin + length;
  const [first = 0, second = 0] = der.subarray(begin, end);
  if (der[start] !== 0x02 || length === 0 || end > der.length) return undefined;
  // Negative numbers, and zeros that need not be there, of which zero itself is one.
  if (first > 0x7f || (first === 0 && second < 0x80)) return undefined;
  const digits = der.subarray(first === 0 ? begin + 1 : begin, end);
  if (digits.length > bytes) return undefined;
  return { padded: Buffer.concat([Buffer.alloc(bytes - digits.length), digits]), end };
}

/** @param key PEM, DER or a JWK, as `createPublicKey` takes it. `undefined` unless it is a key of ES256 or EdDSA, on its curve */
export function publicHalf(
  key: Parameters<typeof createPublicKey>[0],
): Pick<ProviderKey, 'algorithm' | 'publicJwk'> | undefined {
  try {
    const publicJwk = parsePublicJwk(createPublicKey(key).export({ format: 'jwk' }));
    if (publicJwk.crv === 'P-384') return undefined;
    return { algorithm: publicJwk.crv === 'P-256' ? 'ES256' : 'EdDSA', publicJwk };
  } catch {
    return undefined;
  }
}
