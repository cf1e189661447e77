import { compactDecrypt, CompactEncrypt, importJWK } from 'jose';
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { type Json, postJson, type Reply } from '../http/requests';
import { newPrivateKey } from './key-proofs';
import { credentialRequest, type RequestChanges, type Session } from './wallet';

/** A key of the wallet, to which credentials are encrypted. */
export interface EncryptionPair {
  readonly privateKey: KeyObject;
  readonly jwk: JsonWebKey;
  /** `credential_response_encryption` that asks for it. */
  readonly asked: Json;
}

export function newEncryptionPair(enc = 'A256GCM'): EncryptionPair {
  const privateKey = newPrivateKey('ES256');
  const jwk = createPublicKey(privateKey).export({ format: 'jwk' });
  return { privateKey, jwk, asked: { jwk: { ...jwk, alg: 'ECDH-ES', use: 'enc', kid: 'of-the-wallet' }, enc } };
}

/** The key of the issuer, from its metadata. */
export function issuerKeyIn(metadata: Json): JsonWebKey & { readonly kid: string } {
  const { jwks } = metadata['credential_request_encryption'] as { jwks: { keys: (JsonWebKey & { kid: string })[] } };
  const [key] = jwks.keys;
  if (!key) throw new Error('the metadata has no key to encrypt to');
  return key;
}

/** A compact JWE to the key. @param header members to add or replace; `undefined` leaves one out */
export async function jweFor(jwk: JsonWebKey & { readonly kid?: string }, text: string, header: Json = {}) {
  const protectedHeader = { alg: 'ECDH-ES', enc: 'A128GCM', kid: jwk.kid, ...header };
  const given = Object.entries(protectedHeader).filter(([, value]) => value !== undefined);
  return new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader(Object.fromEntries(given) as { alg: string; enc: string })
    .encrypt(await importJWK({ ...jwk } as Record<string, string>, 'ECDH-ES'));
}

/** The plaintext and the header of an encrypted answer. */
export async function opened({ privateKey }: EncryptionPair, jwe: string): Promise<{ header: Json; body: Json }> {
  const { plaintext, protectedHeader } = await compactDecrypt(jwe, privateKey);
  return { header: protectedHeader, body: JSON.parse(Buffer.from(plaintext).toString('utf8')) as Json };
}

/** Sends a credential request encrypted. */
export async function requestEncrypted(session: Session, changes: RequestChanges = {}): Promise<Reply> {
  const body = JSON.stringify(await credentialRequest(session, changes));
  return sendJwt(session, await jweFor(issuerKeyIn(session.metadata), body));
}

/** Sends a text as `application/jwt` to an endpoint that the metadata names. */
export function sendJwt(session: Session, text: string, endpoint = 'credential_endpoint'): Promise<Reply> {
  const headers = { authorization: `Bearer ${session.accessToken}`, 'content-type': 'application/jwt' };
  return postJson(String(session.metadata[endpoint]), text, headers);
}
