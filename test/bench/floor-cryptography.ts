import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createPublicKey,
  type JsonWebKey,
  type KeyObject,
  randomBytes,
  sign,
  timingSafeEqual,
  verify,
} from 'node:crypto';
import { newPrivateKey } from '../support/wallets/key-proofs';

const root = randomBytes(32);
const ecdsa = { dsaEncoding: 'ieee-p1363' } as const;

export const signingKey = newPrivateKey('ES256');
export const verifyingKey = createPublicKey(signingKey);

/** AES-256-GCM under a new data key, which is wrapped by the root key. */
export function sealed(value: unknown): { readonly sealed: string; readonly key: string } {
  const dataKey = randomBytes(32);
  return { sealed: encrypt(dataKey, Buffer.from(JSON.stringify(value))), key: encrypt(root, dataKey) };
}

export function opened(text: string, key: string | null): unknown {
  return JSON.parse(decrypt(decrypt(root, key ?? ''), text).toString('utf8'));
}

/** A text that proves by itself that it was made here, for this purpose, and until when it is valid. */
export function token(purpose: string, body: string, seconds: number): string {
  const content = base64url(JSON.stringify({ body, until: Date.now() + seconds * 1000 }));
  return `${content}.${mac(purpose, content).toString('base64url')}`;
}

export function bodyOfToken(purpose: string, text: string): string {
  const [content = '', proof = ''] = text.split('.');
  const isOurs = timingSafeEqual(mac(purpose, content), Buffer.from(proof, 'base64url'));
  const { body, until } = parsed(content) as { body: string; until: number };
  if (!isOurs || until < Date.now()) throw new Error(`Not a valid ${purpose}.`);
  return body;
}

export function signedJwt(header: object, payload: object): string {
  const input = `${base64url(JSON.stringify({ alg: 'ES256', ...header }))}.${base64url(JSON.stringify(payload))}`;
  return `${input}.${sign('sha256', Buffer.from(input), { key: signingKey, ...ecdsa }).toString('base64url')}`;
}

/** Header and payload of an ES256 JWT. @param keyOf finds the key; throws when the signature is not by it */
export function verifiedJwt(jwt: string, keyOf: (header: Json) => KeyObject): { header: Json; payload: Json } {
  const [head = '', body = '', signature = ''] = jwt.split('.');
  const header = parsed(head) as Json;
  const input = Buffer.from(`${head}.${body}`);
  const isValid = verify('sha256', input, { key: keyOf(header), ...ecdsa }, Buffer.from(signature, 'base64url'));
  if (!isValid) throw new Error('A signature is not valid.');
  return { header, payload: parsed(body) as Json };
}

export type Json = Record<string, unknown>;

export function importedKey(jwk: unknown): KeyObject {
  return createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
}

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

export function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

export function parsed(text: string): unknown {
  return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
}

function mac(purpose: string, content: string): Buffer {
  return createHmac('sha256', root).update(purpose).update(content).digest();
}

function encrypt(key: Buffer, plaintext: Buffer): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  return Buffer.concat([iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

function decrypt(key: Buffer, text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(-16));
  return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
}
