import { calculateJwkThumbprint, exportJWK, importJWK, SignJWT, type JWK } from 'jose';
import { createPrivateKey, generateKeyPairSync, type JsonWebKey, sign } from 'node:crypto';
import type { JwtSigner } from '@openid4vc/oauth2';
import { base58 } from './base58';
import { WalletFailure } from './failure';

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
  const { privateKey: der } =
    algorithm === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256', publicKeyEncoding, privateKeyEncoding })
      : generateKeyPairSync('ed25519', { publicKeyEncoding, privateKeyEncoding });
  const privateJwk = await exportJWK(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
  return { id: await calculateJwkThumbprint(privateJwk), algorithm, privateJwk };
}

export function publicJwk({ privateJwk: { kty, crv, x, y } }: HolderKey): JWK & { kty: string; crv: string } {
  if (kty === undefined || crv === undefined || x === undefined) {
    throw new WalletFailure('A key in the wallet file is damaged: kty, crv or x is missing.');
  }
  return y === undefined ? { kty, crv, x } : { kty, crv, x, y };
}

/** The DID that holds this key, e.g. `did:jwk:eyJ...` or `did:key:zDn...`. */
export function holderDid(key: HolderKey, method: Exclude<Binding, 'jwk'>): string {
  const jwk = publicJwk(key);
  if (method === 'did:jwk') return `did:jwk:${Buffer.from(JSON.stringify(jwk)).toString('base64url')}`;
  return `did:key:z${base58(multikey(jwk))}`;
}

/** The signer description the client library puts into the proof header: `jwk`, or `kid` with a DID URL. */
export function proofSigner(key: HolderKey, binding: Binding): JwtSigner {
  if (binding === 'jwk') return { method: 'jwk', publicJwk: publicJwk(key), alg: key.algorithm };
  const did = holderDid(key, binding);
  // did:jwk names its only key #0; did:key repeats the identifier.
  const fragment = binding === 'did:jwk' ? '0' : did.slice('did:key:'.length);
  return { method: 'did', didUrl: `${did}#${fragment}`, alg: key.algorithm };
}

/** Signs a compact JWT with a key of this wallet; `alg` in the header follows from the key. */
export async function signJwt(key: HolderKey, header: Record<string, unknown>, payload: object): Promise<string> {
  const privateKey = await importJWK(key.privateJwk, key.algorithm);
  return new SignJWT({ ...payload }).setProtectedHeader({ ...header, alg: key.algorithm }).sign(privateKey);
}

/** The signature of a JWS over its signing input, in base64url. */
export function signatureOf({ privateJwk, algorithm }: HolderKey, input: string): string {
  const key = createPrivateKey({ key: privateJwk as JsonWebKey, format: 'jwk' });
  // RFC 7518 §3.4: r and s side by side, not DER.
  const bytes = sign(algorithm === 'EdDSA' ? null : 'sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
  return bytes.toString('base64url');
}

/** Multicodec prefix (varint) and raw public key: 0xed Ed25519, 0x1200 P-256 with the compressed point. */
function multikey(jwk: JWK): Buffer {
  const x = Buffer.from(jwk.x ?? '', 'base64url');
  if (jwk.kty === 'OKP') return Buffer.concat([Buffer.from([0xed, 0x01]), x]);
  const y = Buffer.from(jwk.y ?? '', 'base64url');
  const sign = (y.at(-1) ?? 0) % 2 === 0 ? 0x02 : 0x03;
  return Buffer.concat([Buffer.from([0x80, 0x24, sign]), x]);
}
