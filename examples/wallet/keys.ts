import type { JwtSigner } from '@openid4vc/oauth2';
import { base58 } from '@scure/base';
import { calculateJwkThumbprint, importJWK, SignJWT, type JWK } from 'jose';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';

export const algorithms = ['ES256', 'EdDSA'] as const;
export type Algorithm = (typeof algorithms)[number];

/** How a proof names the holder's key: the bare key, or a DID that contains it. */
export const bindings = ['jwk', 'did:jwk', 'did:key'] as const;
export type Binding = (typeof bindings)[number];

/** A key of this wallet as it lies in the wallet file; `id` is its RFC 7638 thumbprint. */
export interface HolderKey {
  readonly id: string;
  readonly algorithm: Algorithm;
  readonly privateJwk: JWK;
}

const publicKeyEncoding = { type: 'spki', format: 'der' } as const;
const privateKeyEncoding = { type: 'pkcs8', format: 'der' } as const;

export async function generateHolderKey(algorithm: Algorithm): Promise<HolderKey> {
  // Exporting a key fresh from the generator may freeze Node 20, so it takes the way through DER.
  const { privateKey: key } =
    algorithm === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256', publicKeyEncoding, privateKeyEncoding })
      : generateKeyPairSync('ed25519', { publicKeyEncoding, privateKeyEncoding });
  const privateJwk = createPrivateKey({ key, ...privateKeyEncoding }).export({ format: 'jwk' }) as JWK;
  return { id: await calculateJwkThumbprint(privateJwk), algorithm, privateJwk };
}

export function publicJwk({ privateJwk: { kty = '', crv = '', x = '', y } }: HolderKey) {
  return { kty, crv, x, ...(y !== undefined && { y }) };
}

/** The DID that holds this key, e.g. `did:jwk:eyJ...` or `did:key:zDn...`. */
export function holderDid(key: HolderKey, method: Exclude<Binding, 'jwk'>): string {
  const jwk = publicJwk(key);
  if (method === 'did:jwk') return `did:jwk:${Buffer.from(JSON.stringify(jwk)).toString('base64url')}`;
  // A multicodec prefix (varint) and the raw key: 0xed Ed25519, 0x1200 P-256 as a compressed point.
  const [x, y] = [jwk.x, jwk.y ?? ''].map((part) => Buffer.from(part, 'base64url')) as [Buffer, Buffer];
  const prefix = jwk.kty === 'OKP' ? [0xed, 0x01] : [0x80, 0x24, (y.at(-1) ?? 0) % 2 === 0 ? 2 : 3];
  return `did:key:z${base58.encode(Buffer.concat([Buffer.from(prefix), x]))}`;
}

/** The URL by which a holder's DID names its one key: did:jwk as #0, did:key by repeating itself. */
export function didUrl(did: string): string {
  return `${did}#${did.startsWith('did:key:') ? did.slice('did:key:'.length) : '0'}`;
}

/** What the client library puts into the header of a proof: `jwk`, or `kid` with a DID URL. */
export function proofSigner(key: HolderKey, binding: Binding): JwtSigner {
  const alg = key.algorithm;
  if (binding === 'jwk') return { method: 'jwk', publicJwk: publicJwk(key), alg };
  return { method: 'did', didUrl: didUrl(holderDid(key, binding)), alg };
}

/** A compact JWT; `alg` in the header follows from the key. */
export async function signJwt(key: HolderKey, header: Record<string, unknown>, payload: object): Promise<string> {
  const jwt = new SignJWT({ ...payload }).setProtectedHeader({ ...header, alg: key.algorithm });
  return jwt.sign(await importJWK(key.privateJwk, key.algorithm));
}
