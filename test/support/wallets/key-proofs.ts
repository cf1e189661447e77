import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  randomUUID,
  sign as signBytes,
} from 'node:crypto';
import type { Json } from '../http/requests';

export type HolderAlgorithm = 'ES256' | 'EdDSA' | 'ES384' | 'ES256K';
export type KeyNaming = 'jwk' | 'did:jwk' | 'did:key';

/** A wallet's key and the way it names it in a proof. */
export interface Holder {
  readonly algorithm: HolderAlgorithm;
  readonly privateKey: KeyObject;
  readonly jwk: JsonWebKey;
  readonly naming: KeyNaming;
  /** The DID for the namings that have one. */
  readonly did: string | undefined;
  /** The header members that name the key. */
  readonly header: Json;
}

const publicKeyEncoding = { type: 'spki', format: 'der' } as const;
const privateKeyEncoding = { type: 'pkcs8', format: 'der' } as const;
const curves = { ES256: 'P-256', ES384: 'P-384', ES256K: 'secp256k1' } as const;

export function newHolder(algorithm: HolderAlgorithm = 'ES256', naming: KeyNaming = 'jwk'): Holder {
  const privateKey = newPrivateKey(algorithm);
  const jwk = createPublicKey(privateKey).export({ format: 'jwk' });
  const holder = { algorithm, privateKey, jwk, naming };
  if (naming === 'jwk') return { ...holder, did: undefined, header: { jwk } };
  const id = naming === 'did:jwk' ? base64url(JSON.stringify(jwk)) : multikey(jwk);
  const did = `${naming}:${id}`;
  return { ...holder, did, header: { kid: naming === 'did:jwk' ? `${did}#0` : `${did}#${id}` } };
}

/** Takes the way through DER: in Node 20 exporting a key object fresh from the generator as JWK may hang for good. */
export function newPrivateKey(algorithm: HolderAlgorithm): KeyObject {
  const { privateKey } =
    algorithm === 'EdDSA'
      ? generateKeyPairSync('ed25519', { publicKeyEncoding, privateKeyEncoding })
      : generateKeyPairSync('ec', { namedCurve: curves[algorithm], publicKeyEncoding, privateKeyEncoding });
  return createPrivateKey({ key: privateKey, format: 'der', type: 'pkcs8' });
}

/** Everything of a key proof that a test may change; a member set to `undefined` is left out. */
export interface ProofChanges {
  readonly header?: Json;
  readonly claims?: Json;
}

/** An `openid4vci-proof+jwt` (OpenID4VCI 1.0 appendix F.1). */
export function keyProof(holder: Holder, audience: string, nonce: string, changes: ProofChanges = {}): string {
  const header = { typ: 'openid4vci-proof+jwt', alg: holder.algorithm, ...holder.header, ...changes.header };
  const claims = { aud: audience, iat: Math.floor(Date.now() / 1000), nonce, ...changes.claims };
  const input = `${base64url(JSON.stringify(header))}.${base64url(JSON.stringify(claims))}`;
  return `${input}.${signatureOf(holder, input).toString('base64url')}`;
}

export function signatureOf({ algorithm, privateKey }: Holder, input: string): Buffer {
  const digest = algorithm === 'EdDSA' ? null : algorithm === 'ES384' ? 'sha384' : 'sha256';
  return signBytes(digest, Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' });
}

/** RFC 7638, from the members alone. */
export function thumbprintOf({ crv, kty, x, y }: JsonWebKey): string {
  const members = { crv, kty, x, ...(y !== undefined && { y }) };
  return createHash('sha256').update(JSON.stringify(members)).digest('base64url');
}

/** A well-formed nonce that was never issued. */
export function inventedNonce(): string {
  return base64url(randomUUID());
}

export function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

/** did:key: multicodec prefix and key, base58btc. */
function multikey({ kty, x = '', y = '' }: JsonWebKey): string {
  const point = Buffer.from(x, 'base64url');
  const isOdd = (Buffer.from(y, 'base64url').at(-1) ?? 0) & 1;
  const bytes =
    kty === 'OKP'
      ? Buffer.concat([Buffer.from([0xed, 0x01]), point])
      : Buffer.concat([Buffer.from([0x80, 0x24, 2 + isOdd]), point]);
  return `z${base58(bytes)}`;
}

function base58(bytes: Buffer): string {
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  let text = '';
  for (let rest = BigInt(`0x${bytes.toString('hex')}`); rest > 0n; rest /= 58n) {
    text = alphabet.charAt(Number(rest % 58n)) + text;
  }
  return text;
}
