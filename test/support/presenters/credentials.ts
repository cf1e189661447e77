import { createHash, randomBytes } from 'node:crypto';
import { base64url, type Holder, signatureOf } from '../wallets/key-proofs';
import type { Json } from '../http/requests';

/** Header and payload members to add or replace (`undefined` leaves one out), and who signs instead. */
export interface JwtChanges {
  readonly header?: Json;
  readonly payload?: Json;
  readonly signer?: Holder;
  /** Signs instead of any key. */
  readonly sign?: (signingInput: string) => Buffer;
}

export function signJwt(header: Json, payload: Json, signer: Holder, changes: JwtChanges = {}): string {
  const by = changes.signer ?? signer;
  const protectedHeader = { alg: by.algorithm, ...header, ...changes.header };
  const input = [protectedHeader, { ...payload, ...changes.payload }]
    .map((part) => base64url(JSON.stringify(part)))
    .join('.');
  const signature = (changes.sign ?? ((text) => signatureOf(by, text)))(input);
  return `${input}.${signature.toString('base64url')}`;
}

export const inSeconds = (later = 0): number => Math.floor(Date.now() / 1000) + later;

export function digestOf(text: string, algorithm = 'sha256'): string {
  return createHash(algorithm).update(text).digest('base64url');
}

/** `[salt, name, value]` or, with one argument, `[salt, value]`. */
export function disclosure(...content: readonly unknown[]): string {
  return base64url(JSON.stringify([randomBytes(16).toString('base64url'), ...content]));
}

export const membershipVct = 'https://credentials.example/membership';

export interface SdJwtChanges extends JwtChanges {
  /** Name and value of what can be disclosed; some are there by default. */
  readonly claims?: Json;
  /** Ready-made disclosures, whose digests go into `_sd` too. */
  readonly disclosures?: readonly string[];
}

/** An SD-JWT VC as issued (`<JWT>~<disclosure>~...~`) by an issuer with a DID, bound to the key of the holder. */
export function foreignSdJwt(issuer: Holder, holder: Holder, changes: SdJwtChanges = {}): string {
  const { claims = { given_name: 'Erika', family_name: 'Mustermann', level: 3 } } = changes;
  const disclosures = [
    ...Object.entries(claims).map(([name, value]) => disclosure(name, value)),
    ...(changes.disclosures ?? []),
  ];
  const payload = {
    iss: issuer.did,
    vct: membershipVct,
    iat: inSeconds(-60),
    exp: inSeconds(3600),
    cnf: { jwk: holder.jwk },
    _sd: disclosures.map((each) => digestOf(each)),
    _sd_alg: 'sha-256',
  };
  return [signJwt({ typ: 'dc+sd-jwt', ...issuer.header }, payload, issuer, changes), ...disclosures, ''].join('~');
}

export interface JwtVcChanges extends JwtChanges {
  /** Members of `vc` to add or replace. */
  readonly vc?: Json;
}

/** A jwt_vc_json credential of VCDM 1.1 by an issuer with a DID, for a holder with a DID. */
export function foreignJwtVc(issuer: Holder, holder: Holder, changes: JwtVcChanges = {}): string {
  const vc = {
    '@context': ['https://www.w3.org/2018/credentials/v1'],
    type: ['VerifiableCredential', 'MembershipCredential'],
    credentialSubject: { id: holder.did, given_name: 'Erika', family_name: 'Mustermann', level: 3 },
    ...changes.vc,
  };
  const payload = { iss: issuer.did, sub: holder.did, nbf: inSeconds(-60), exp: inSeconds(3600), vc };
  return signJwt({ typ: 'JWT', ...issuer.header }, payload, issuer, changes);
}

/** What a presentation is made for. */
export interface Purpose {
  readonly nonce: string;
  readonly clientId: string;
}

export interface SdJwtPresentationChanges {
  /** Names of the claims to disclose; all when absent. */
  readonly reveal?: readonly string[];
  /** Of the key binding JWT. */
  readonly keyBinding?: JwtChanges;
  /** Without a key binding JWT. */
  readonly bare?: boolean;
  /** Changes what is presented before it is bound: the parts between the tildes, the last one empty. */
  readonly parts?: (parts: string[]) => string[];
  /** Changes the finished presentation. */
  readonly text?: (text: string) => string;
}

/** Presents an SD-JWT VC: chosen disclosures and a fresh key binding JWT (RFC 9901 §4.3). */
export function presentSdJwt(
  credential: string,
  holder: Holder,
  purpose: Purpose,
  changes: SdJwtPresentationChanges = {},
): string {
  const { reveal, parts = (unchanged: string[]) => unchanged, text = (unchanged: string) => unchanged } = changes;
  const [jwt = '', ...disclosures] = credential.split('~').slice(0, -1);
  const shown = disclosures.filter((each) => reveal?.includes(nameIn(each)) ?? true);
  const presented = parts([jwt, ...shown, '']).join('~');
  if (changes.bare === true) return text(presented);
  const binding = { aud: purpose.clientId, nonce: purpose.nonce, iat: inSeconds(), sd_hash: digestOf(presented) };
  return text(presented + signJwt({ typ: 'kb+jwt' }, binding, holder, changes.keyBinding));
}

export interface JwtPresentationChanges extends JwtChanges {
  /** Members of `vp` to add or replace. */
  readonly vp?: Json;
}

/** Presents JWT credentials in a jwt_vp, signed by a holder with a DID or a bare key. */
export function presentJwtVc(
  credentials: readonly string[],
  holder: Holder,
  purpose: Purpose,
  changes: JwtPresentationChanges = {},
): string {
  const vp = {
    '@context': ['https://www.w3.org/2018/credentials/v1'],
    type: ['VerifiablePresentation'],
    verifiableCredential: credentials,
    ...changes.vp,
  };
  const times = { iat: inSeconds(), nbf: inSeconds(-1), exp: inSeconds(300) };
  const payload = { iss: holder.did, aud: purpose.clientId, nonce: purpose.nonce, ...times, vp };
  return signJwt({ typ: 'JWT', ...holder.header }, payload, holder, changes);
}

/** A Self-Issued ID Token (SIOPv2 draft 13 §11): of a DID, or of a bare key by its thumbprint. */
export function selfIssued(holder: Holder, purpose: Purpose, thumbprint: string, changes: JwtChanges = {}): string {
  const subject = holder.did === undefined ? { sub: thumbprint, sub_jwk: holder.jwk } : { sub: holder.did };
  const header = holder.did === undefined ? {} : holder.header;
  const times = { iat: inSeconds(), exp: inSeconds(300) };
  const payload = { iss: subject.sub, ...subject, aud: purpose.clientId, nonce: purpose.nonce, ...times };
  return signJwt(header, payload, holder, changes);
}

function nameIn(encoded: string): string {
  const content = JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8')) as unknown[];
  return content.length === 3 ? String(content[1]) : '';
}
