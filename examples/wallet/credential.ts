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
import type { X509Certificate } from 'node:crypto';
import { hash } from './client';
import { WalletFailure } from './failure';
import type { HolderKey } from './keys';
import { elementsOf, verifyMdoc } from './mdoc';
import { keyInDid, publishedKey } from './published-key';
import type { CredentialFormat } from './wallet-file';

/** What the metadata promised and the wallet asked for; the credential is held against it. */
export interface Expected {
  readonly format: CredentialFormat;
  /** `credential_definition.type` of the configuration, or its `vct`. */
  readonly types: readonly string[];
  readonly credentialIssuer: string;
  /** The key the proof was made with; null when the configuration has no holder binding. */
  readonly key: HolderKey | null;
  /** Whom to trust when the issuer is known by a certificate. */
  readonly roots: readonly X509Certificate[];
}

export interface Verified {
  readonly issuer: string;
  readonly type: string;
  readonly claims: Record<string, unknown>;
  readonly validFrom: string | null;
  readonly expiresAt: string | null;
}

/** The `vc` claim of a jwt_vc_json credential. */
interface Vc {
  readonly id?: string;
  readonly type?: readonly string[];
  readonly issuer?: string | { readonly id: string };
  readonly issuanceDate?: string;
  readonly expirationDate?: string;
  readonly credentialSubject?: Record<string, unknown>;
}

const skew = 60;
/** Claims about the credential itself, not about its subject. */
const registered = ['iss', 'iat', 'nbf', 'exp', 'jti', 'sub', 'cnf', 'vct', 'vct#integrity', 'aka_vcts', 'status'];

export const sdJwts = new SDJwtInstance({ hasher: hash });

/** The whole signed content as the holder sees it: the JWT claims set, with all disclosures of an SD-JWT put back; the elements of an mdoc. */
export async function contentOf({ format, credential }: { format: CredentialFormat; credential: string }) {
  if (format === 'jwt_vc_json') return decodeJwt(credential);
  if (format === 'mso_mdoc') return elementsOf(credential) as JWTPayload;
  return (await sdJwts.getClaims(credential)) as JWTPayload;
}

/** Verifies signature, times, type and holder binding; every doubt is a WalletFailure that names it. */
export async function verifyCredential(credential: string, expected: Expected): Promise<Verified> {
  const { format, types, key } = expected;
  if (format === 'mso_mdoc') return verifyMdoc(credential, expected);
  const { payload, typ = 'JWT' } = await verifySignature(credential, expected);
  // The header type follows the format label: vc+sd-jwt up to draft 14, dc+sd-jwt since.
  const named = format === 'jwt_vc_json' ? 'JWT' : format;
  ensure(typ === named, `The credential's header says typ ${typ} instead of ${named}.`);
  const { type, claims } = format === 'jwt_vc_json' ? readJwtVc(payload) : await readSdJwtVc(credential, payload);
  ensure(
    types.every((one) => type.includes(one)),
    `The credential is of type ${type.join(', ')}; the offer promised ${types.join(', ')}.`,
  );
  if (key) await verifyBinding(payload, key);
  const { iss = '', nbf, iat, exp } = payload;
  return { issuer: iss, type: type.join(', '), claims, validFrom: isoTime(nbf ?? iat), expiresAt: isoTime(exp) };
}

/** VC data model 1.1 §6.3.1: a registered claim and its counterpart in vc say the same. */
function readJwtVc({ iss, sub, jti, nbf, exp, vc }: JWTPayload & { readonly vc?: Vc }) {
  const { id: subjectId, ...claims } = vc?.credentialSubject ?? {};
  const seconds = (time?: string) => time && Math.floor(Date.parse(time) / 1000);
  const pairs: readonly [string, unknown, string, unknown][] = [
    ['iss', iss, 'vc.issuer', typeof vc?.issuer === 'object' ? vc.issuer.id : vc?.issuer],
    ['sub', sub, 'credentialSubject.id', subjectId],
    ['jti', jti, 'vc.id', vc?.id],
    ['nbf', nbf, 'vc.issuanceDate', seconds(vc?.issuanceDate)],
    ['exp', exp, 'vc.expirationDate', seconds(vc?.expirationDate)],
  ];
  for (const [claim, one, member, other] of pairs)
    ensure(other === undefined || one === other, `${claim} and ${member} differ.`);
  return { type: vc?.type ?? [], claims };
}

async function readSdJwtVc(credential: string, { vct }: JWTPayload) {
  const covered = await sdJwts.presentableKeys(credential);
  // <JWT>~<disclosure>~...~: the library passes over a disclosure that no digest refers to.
  ensure(
    covered.length === credential.split('~').length - 2,
    'The SD-JWT carries a disclosure that its signature does not cover.',
  );
  const claims = Object.entries((await sdJwts.getClaims(credential)) as object).filter(
    ([name]) => !registered.includes(name),
  );
  return { type: [String(vct)], claims: Object.fromEntries(claims) };
}

async function verifySignature(credential: string, { credentialIssuer }: Expected) {
  const [jwt = ''] = credential.split('~');
  const { alg = '', kid, typ } = decodeProtectedHeader(jwt);
  const { iss } = decodeJwt(jwt);
  ensure(iss !== undefined, 'The credential names no issuer.');
  ensure(['ES256', 'EdDSA'].includes(alg), `The credential is signed with ${alg}.`);
  const key = await importJWK(await publishedKey(iss, kid, credentialIssuer, 'credential'), alg);
  const { payload } = await jwtVerify(jwt, key, { clockTolerance: skew }).catch((error: unknown) => {
    throw new WalletFailure(
      `The credential of ${iss} does not verify: ${error instanceof Error ? error.message : String(error)}.`,
    );
  });
  ensure((payload.iat ?? 0) <= Date.now() / 1000 + skew, 'The credential comes from the future.');
  return { payload, typ };
}

/** By `cnf.jwk`, with which `sub` may be any subject or anything (RFC 7800 §3), or by the DID in `sub`. */
async function verifyBinding(
  { cnf, sub }: JWTPayload & { readonly cnf?: { readonly jwk?: JWK } },
  key: HolderKey,
): Promise<void> {
  const jwk = cnf?.jwk ?? keyInDid(sub ?? '');
  ensure(jwk !== undefined || sub?.startsWith('did:') === true, 'The credential is bound to no key.');
  const isOurs = jwk !== undefined && (await calculateJwkThumbprint(jwk)) === key.id;
  ensure(isOurs, cnf?.jwk ? 'cnf binds the credential to another key.' : 'sub is another DID.');
}

function isoTime(seconds: number | undefined): string | null {
  return seconds === undefined ? null : new Date(seconds * 1000).toISOString();
}

function ensure(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new WalletFailure(otherwise);
}
