import { createHash } from 'node:crypto';
import { SDJwtInstance } from '@sd-jwt/core';
import {
  calculateJwkThumbprint,
  decodeJwt,
  decodeProtectedHeader,
  importJWK,
  jwtVerify,
  type JWK,
  type JWTPayload,
} from 'jose';
import { didJwk } from '../../wallets/independent/practice-credentials';

/** The result of one presentation: the disclosed claims, after every check of the holder's part. */
export interface CheckedPresentation {
  readonly claims: Record<string, unknown>;
  /** False when the bare credential came, without proof of possession. */
  readonly bound: boolean;
  /** What its key binding says beyond the usual. */
  readonly transactions?: Record<string, unknown>;
}

export interface ExpectedAudience {
  readonly clientId: string;
  readonly nonce: string;
}

const reader = new SDJwtInstance({
  hashAlg: 'sha-256',
  hasher: (data) =>
    createHash('sha256')
      .update(Buffer.from(data as string))
      .digest(),
});

/** Checks holder binding, audience and nonce of a presentation; written apart from product and wallet on purpose. */
export async function checkPresentation(text: string, expected: ExpectedAudience): Promise<CheckedPresentation> {
  return text.includes('~') ? checkSdJwt(text, expected) : checkJwt(text, expected);
}

async function checkSdJwt(text: string, { clientId, nonce }: ExpectedAudience): Promise<CheckedPresentation> {
  const claims = (await reader.getClaims(text)) as Record<string, unknown>;
  const end = text.lastIndexOf('~') + 1;
  const keyBinding = text.slice(end);
  if (keyBinding === '') return { claims, bound: false };
  const { jwk } = claims['cnf'] as { jwk: JWK };
  const { payload } = await jwtVerify(keyBinding, await importJWK(jwk, algorithmOf(keyBinding)), { typ: 'kb+jwt' });
  same('aud', payload.aud, clientId);
  same('nonce', payload['nonce'], nonce);
  same('sd_hash', payload['sd_hash'], createHash('sha256').update(text.slice(0, end)).digest('base64url'));
  const { iat: _iat, aud: _aud, nonce: _nonce, sd_hash: _hash, ...transactions } = payload;
  return { claims, bound: true, ...(Object.keys(transactions).length > 0 ? { transactions } : {}) };
}

async function checkJwt(text: string, { clientId, nonce }: ExpectedAudience): Promise<CheckedPresentation> {
  const vp = decodeJwt(text)['vp'] as { type: string[]; verifiableCredential: string[] } | undefined;
  if (!vp) return { claims: subjectOf(decodeJwt(text)), bound: false };
  const { payload } = await jwtVerify(text, await keyOfKid(text), { typ: 'JWT', audience: clientId });
  same('nonce', payload['nonce'], nonce);
  same('holder', decodeProtectedHeader(text).kid?.split('#')[0], payload.iss);
  const [credential = ''] = vp.verifiableCredential;
  same('subject', decodeJwt(credential).sub, payload.iss);
  same('type', vp.type.includes('VerifiablePresentation'), true);
  return { claims: subjectOf(decodeJwt(credential)), bound: true };
}

/** Checks a self-issued ID token (SIOPv2 draft 13 §11.1). */
export async function checkIdToken(text: string, { clientId, nonce }: ExpectedAudience): Promise<JWTPayload> {
  const embedded = decodeJwt(text)['sub_jwk'] as JWK | undefined;
  const key = embedded ? await importJWK(embedded, algorithmOf(text)) : await keyOfKid(text);
  const { payload } = await jwtVerify(text, key, { audience: clientId, requiredClaims: ['exp', 'iat'] });
  same('iss', payload.iss, payload.sub);
  same('nonce', payload['nonce'], nonce);
  const subject = embedded ? await calculateJwkThumbprint(embedded) : decodeProtectedHeader(text).kid?.split('#')[0];
  same('sub', payload.sub, subject);
  return payload;
}

async function keyOfKid(text: string) {
  const { kid = '' } = decodeProtectedHeader(text);
  const jwk = didJwk(kid.split('#')[0] ?? '');
  if (!jwk) throw new Error(`The practice verifier cannot resolve ${kid}.`);
  return importJWK(jwk, algorithmOf(text));
}

function subjectOf(payload: JWTPayload): Record<string, unknown> {
  const { credentialSubject } = payload['vc'] as { credentialSubject: Record<string, unknown> };
  return credentialSubject;
}

function algorithmOf(text: string): string {
  return decodeProtectedHeader(text).alg ?? '';
}

function same(what: string, one: unknown, other: unknown): void {
  if (one !== other) throw new Error(`${what} is ${String(one)} instead of ${String(other)}`);
}
