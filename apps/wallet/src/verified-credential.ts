import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, jwtVerify, type JWK, type JWTPayload } from 'jose';
import { WalletFailure } from './failure';
import { holderDid, type HolderKey } from './holder-key';
import { decodeDidJwk, publishedKey, type FetchJson } from './issuer-key';
import { disclosedClaims, splitSdJwt } from './sd-jwt';
import type { CredentialFormat } from './wallet-file';

/** What the metadata promised and the wallet asked for; the credential is held against it. */
export interface Expected {
  readonly format: CredentialFormat;
  /** `credential_definition.type` of the configuration, or its `vct`. */
  readonly types: readonly string[];
  readonly credentialIssuer: string;
  /** The key the proof was made with; null when the configuration has no holder binding. */
  readonly key: HolderKey | null;
}

export interface Verified {
  readonly issuer: string;
  readonly type: string;
  readonly claims: Record<string, unknown>;
  readonly validFrom: string | null;
  readonly expiresAt: string | null;
}

const toleratedClockSkewSeconds = 60;
/** Claims about the credential itself, not about its subject. */
const registered = new Set([
  'iss',
  'iat',
  'nbf',
  'exp',
  'jti',
  'sub',
  'cnf',
  'vct',
  'vct#integrity',
  'aka_vcts',
  'status',
]);

/** Verifies signature, times, type and holder binding; every doubt is a WalletFailure that names it. */
export async function verifyCredential(
  credential: string,
  expected: Expected,
  fetchJson: FetchJson,
): Promise<Verified> {
  return expected.format === 'jwt_vc_json'
    ? verifyJwtVc(credential, expected, fetchJson)
    : verifySdJwtVc(credential, expected, fetchJson);
}

async function verifyJwtVc(jwt: string, expected: Expected, fetchJson: FetchJson): Promise<Verified> {
  const { payload, typ } = await verifySignature(jwt, expected, fetchJson);
  ensure(typ === undefined || typ === 'JWT', `The credential's header says typ ${String(typ)} instead of JWT.`);
  const vc = payload['vc'];
  ensure(isObject(vc), 'The credential has no vc claim.');
  const subject = vc['credentialSubject'];
  ensure(isObject(subject), 'The credential has no single credentialSubject.');
  const types = Array.isArray(vc['type']) ? vc['type'].map(String) : [];
  ensure(
    expected.types.every((type) => types.includes(type)),
    `The credential is of type ${types.join(', ')}; the offer promised ${expected.types.join(', ')}.`,
  );
  // VC data model 1.1 §6.3.1: a registered claim and its counterpart in vc say the same.
  const issuer = isObject(vc['issuer']) ? vc['issuer']['id'] : vc['issuer'];
  ensure(issuer === undefined || issuer === payload.iss, 'iss and vc.issuer differ.');
  ensure(subject['id'] === undefined || subject['id'] === payload.sub, 'sub and credentialSubject.id differ.');
  ensure(vc['id'] === undefined || vc['id'] === payload.jti, 'jti and vc.id differ.');
  ensureSameTime('nbf', payload.nbf, 'vc.issuanceDate', vc['issuanceDate']);
  ensureSameTime('exp', payload.exp, 'vc.expirationDate', vc['expirationDate']);
  await verifyBinding(payload, expected.key);
  const claims = Object.fromEntries(Object.entries(subject).filter(([name]) => name !== 'id'));
  return { ...frame(payload), type: types.join(', '), claims };
}

async function verifySdJwtVc(sdJwt: string, expected: Expected, fetchJson: FetchJson): Promise<Verified> {
  const { jwt, disclosures } = splitSdJwt(sdJwt);
  const { payload, typ } = await verifySignature(jwt, expected, fetchJson);
  // The header type follows the format label: vc+sd-jwt up to draft 14, dc+sd-jwt since.
  ensure(typ === expected.format, `The credential's header says typ ${String(typ)} instead of ${expected.format}.`);
  const claims = disclosedClaims(payload, disclosures);
  const vct = claims['vct'];
  ensure(typeof vct === 'string', 'The credential has no vct.');
  ensure(
    expected.types.includes(vct),
    `The credential is of type ${vct}; the offer promised ${expected.types.join(', ')}.`,
  );
  await verifyBinding(payload, expected.key);
  const own = Object.entries(claims).filter(([name]) => !registered.has(name));
  return { ...frame(payload), type: vct, claims: Object.fromEntries(own) };
}

async function verifySignature(
  jwt: string,
  { credentialIssuer }: Expected,
  fetchJson: FetchJson,
): Promise<{ payload: JWTPayload; typ: string | undefined }> {
  const { alg: algorithm, kid: keyId, typ } = decodeProtectedHeader(jwt);
  const { iss: issuer } = decodeJwt(jwt);
  ensure(issuer !== undefined, 'The credential names no issuer.');
  ensure(algorithm === 'ES256' || algorithm === 'EdDSA', `The credential is signed with ${String(algorithm)}.`);
  const key = await publishedKey({ issuer, keyId, algorithm, credentialIssuer }, fetchJson);
  const verified = await jwtVerify(jwt, key, {
    algorithms: [algorithm],
    clockTolerance: toleratedClockSkewSeconds,
  }).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new WalletFailure(`The credential of ${issuer} does not verify: ${reason}.`);
  });
  const { iat } = verified.payload;
  ensure(
    iat === undefined || iat <= Date.now() / 1000 + toleratedClockSkewSeconds,
    'The credential comes from the future.',
  );
  return { payload: verified.payload, typ };
}

/**
 * The credential must be bound to the key the proof was made with: by `cnf.jwk`, with which `sub` may be any subject or
 * anything (RFC 7800 §3), or by the DID in `sub`.
 */
async function verifyBinding(payload: JWTPayload, key: HolderKey | null): Promise<void> {
  if (!key) return;
  const cnf = payload['cnf'];
  const confirmed = isObject(cnf) && isObject(cnf['jwk']) ? (cnf['jwk'] as JWK) : undefined;
  const { sub } = payload;
  ensure(confirmed !== undefined || sub?.startsWith('did:') === true, 'The credential is bound to no key.');
  if (confirmed) {
    ensure((await calculateJwkThumbprint(confirmed)) === key.id, 'cnf binds the credential to another key.');
  } else if (sub?.startsWith('did:jwk:')) {
    ensure((await calculateJwkThumbprint(decodeDidJwk(sub))) === key.id, 'sub is another DID.');
  } else {
    ensure(sub === holderDid(key, 'did:key'), 'sub is another DID.');
  }
}

function frame({ iss = '', nbf, iat, exp }: JWTPayload): Pick<Verified, 'issuer' | 'validFrom' | 'expiresAt'> {
  const from = nbf ?? iat;
  return {
    issuer: iss,
    validFrom: from === undefined ? null : new Date(from * 1000).toISOString(),
    expiresAt: exp === undefined ? null : new Date(exp * 1000).toISOString(),
  };
}

function ensureSameTime(claim: string, seconds: number | undefined, member: string, time: unknown): void {
  if (time === undefined) return;
  ensure(typeof time === 'string' && Math.floor(Date.parse(time) / 1000) === seconds, `${claim} and ${member} differ.`);
}

function ensure(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new WalletFailure(otherwise);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
