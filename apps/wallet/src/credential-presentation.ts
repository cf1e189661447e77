import { KBJwt } from '@sd-jwt/core';
import { createHash, randomUUID } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import type { Match } from './asked-credential';
import { selectDisclosures } from './disclosure-selection';
import { WalletFailure } from './failure';
import { holderDid, publicJwk, signatureOf, signJwt, type HolderKey } from './holder-key';
import { contentOf } from './stored-credential';
import { confirmation, type TransactionData } from './transaction-data';

/** Whom a presentation is for; it is worth nothing anywhere else. */
export interface Audience {
  /** The complete client identifier, prefix included (OpenID4VP 1.0 §5.9). */
  readonly clientId: string;
  readonly nonce: string;
}

export interface Presentation {
  /** An SD-JWT with key binding, a JWT VP, or the bare credential when no holder binding is wanted. */
  readonly presentation: string;
  /** The claims the verifier gets to see beyond what the issuer left open, for people. */
  readonly disclosed: readonly string[];
}

const validitySeconds = 300;

/**
 * Presents one credential to one audience: of an SD-JWT the claims in `paths`, a JWT credential whole. `key` is the
 * key it is bound to, null to present it without proof of possession. Only the key of an SD-JWT can confirm `transactions`;
 * throws for others.
 */
export async function presentCredential(
  { credential, paths }: Match,
  key: HolderKey | null,
  audience: Audience,
  transactions: readonly TransactionData[],
): Promise<Presentation> {
  if (transactions.length > 0 && (credential.format === 'jwt_vc_json' || !key)) {
    throw new WalletFailure(`Only an SD-JWT with proof of possession confirms transactions, not ${credential.title}.`);
  }
  return credential.format === 'jwt_vc_json'
    ? { presentation: await jwtPresentation({ credential, paths }, key, audience), disclosed: ['everything in it'] }
    : sdJwtPresentation({ credential, paths }, key, audience, transactions);
}

async function sdJwtPresentation(
  { credential, paths }: Match,
  key: HolderKey | null,
  { clientId, nonce }: Audience,
  transactions: readonly TransactionData[],
): Promise<Presentation> {
  const { sdJwt, disclosed } = await selectDisclosures(credential.credential, paths);
  const text = sdJwt.encodeSDJwt();
  if (!key) return { presentation: text, disclosed };
  // RFC 9901 §4.3.1: the hash covers everything before the key binding JWT, its tilde included.
  const sdHash = createHash('sha256').update(text, 'ascii').digest('base64url');
  const payload = { iat: now(), aud: clientId, nonce, sd_hash: sdHash, ...confirmation(transactions) };
  const kbJwt = new KBJwt({ header: { typ: 'kb+jwt', alg: key.algorithm }, payload });
  await kbJwt.sign((input) => signatureOf(key, input));
  sdJwt.kbJwt = kbJwt;
  return { presentation: sdJwt.encodeSDJwt(), disclosed };
}

/** VC data model 1.1 §6.3.1: the presentation is the `vp` claim of a JWT that the holder signs. */
async function jwtPresentation(
  { credential }: Match,
  key: HolderKey | null,
  { clientId, nonce }: Audience,
): Promise<string> {
  if (!key) return credential.credential;
  const holder = contentOf(credential).sub ?? holderDid(key, 'did:jwk');
  const vp = {
    '@context': ['https://www.w3.org/2018/credentials/v1'],
    type: ['VerifiablePresentation'],
    holder,
    verifiableCredential: [credential.credential],
  };
  const times = { iat: now(), nbf: now(), exp: now() + validitySeconds };
  const payload = { iss: holder, sub: holder, aud: clientId, nonce, jti: `urn:uuid:${randomUUID()}`, ...times, vp };
  return signJwt(key, { typ: 'JWT', kid: didUrl(holder) }, payload);
}

export type SubjectSyntax = 'did:jwk' | 'jwk-thumbprint';

/** A self-issued ID token (SIOPv2 draft 13 §11): the subject is the key itself or a DID made of it. */
export async function selfIssuedIdToken(
  key: HolderKey,
  syntax: SubjectSyntax,
  { clientId, nonce }: Audience,
): Promise<string> {
  const claims = { aud: clientId, nonce, iat: now(), exp: now() + validitySeconds };
  if (syntax === 'did:jwk') {
    const did = holderDid(key, 'did:jwk');
    return signJwt(key, { typ: 'JWT', kid: didUrl(did) }, { iss: did, sub: did, ...claims });
  }
  const jwk = publicJwk(key);
  const sub = await calculateJwkThumbprint(jwk);
  return signJwt(key, { typ: 'JWT' }, { iss: sub, sub, sub_jwk: jwk, ...claims });
}

/** How a holder DID names its one key: did:jwk as #0, did:key by repeating itself. */
function didUrl(did: string): string {
  return `${did}#${did.startsWith('did:key:') ? did.slice('did:key:'.length) : '0'}`;
}

function now(): number {
  return Math.floor(Date.now() / 1000);
}
