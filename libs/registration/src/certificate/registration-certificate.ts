import { CertificateFault } from '@app/identity';
import { CERTIFIED_JWS_ALGORITHMS, type DecodedJws, decodeBase64Url, decodeJws, JwsError } from '@app/primitives/jose';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/primitives/json';
import { CLOCK_SKEW_SECONDS } from '@app/primitives/time';
import { readRegistered, type RegisteredCredential } from './registered-credential';

/** Characters of one. */
export const longestCertificate = 128 * 1024;
const type = 'rc-wrp+jwt';
/** Seconds: twelve months. */
const longestLife = 366 * 24 * 3600;

export interface LocalText {
  readonly lang: string;
  readonly value: string;
}

/** What a registration certificate (ETSI TS 119 475) says. */
export interface RegistrationCertificate {
  /** The certificate itself, a compact JWS. */
  readonly compact: string;
  /** Of the service, as wallets show it. */
  readonly name: string;
  /** Of the registered party, in the form of EN 319 412-1. */
  readonly subject: string;
  readonly legalName?: string;
  /** Who asks for the registered party; its access certificate is the one that counts. */
  readonly intermediary?: string;
  /** URIs. */
  readonly entitlements: readonly string[];
  readonly intendedUseId?: string;
  readonly purpose: readonly LocalText[];
  /** What the service does. */
  readonly description: readonly LocalText[];
  /** Where the registry is asked. */
  readonly registryUri?: string;
  readonly policyUri?: string;
  /** What may be asked for. */
  readonly credentials: readonly RegisteredCredential[];
  /** What may be issued. */
  readonly attestations: readonly RegisteredCredential[];
  readonly issuedAt: Date;
  /** Absent when its status alone ends it. */
  readonly expiresAt?: Date;
  readonly status?: JsonValue;
}

/** A certificate that is read, with the signature that remains to be verified. */
export interface ReadCertificate {
  readonly certificate: RegistrationCertificate;
  readonly jws: DecodedJws;
}

/** @param given a compact JWS, or such a one in base64url once more. Throws `CertificateFault`; nothing is verified */
export function readCertificate(given: string): ReadCertificate {
  const compact = compactIn(given.trim());
  const jws = decoded(compact);
  const { header, payload } = jws;
  demand(header['typ'] === type, `the typ ${shown(header['typ'])}`, `ask the registrar for one with the typ ${type}`);
  const isKnown = CERTIFIED_JWS_ALGORITHMS.some((algorithm) => algorithm === header['alg']);
  demand(
    isKnown,
    `the alg ${shown(header['alg'])}`,
    `ask for a signature by one of ${CERTIFIED_JWS_ALGORITHMS.join(', ')}`,
  );
  demand(header['x5c'] !== undefined, 'no x5c header', 'ask the registrar for one with the certificates of its signer');
  return { certificate: { compact, ...certificateIn(payload, header) }, jws };
}

/** Why it counts for nothing at a time. */
export function faultOfTimes(
  { issuedAt, expiresAt }: RegistrationCertificate,
  now: Date,
): CertificateFault | undefined {
  const seconds = now.getTime() / 1000;
  const begins = issuedAt.getTime() / 1000;
  if (begins > seconds + CLOCK_SKEW_SECONDS) {
    return new CertificateFault('an iat that is to come', 'wait, or compare the clocks');
  }
  if (!expiresAt) return undefined;
  const ends = expiresAt.getTime() / 1000;
  if (ends <= seconds) {
    return new CertificateFault(`an end at ${expiresAt.toISOString()}`, 'ask the registrar for the next one');
  }
  if (ends - begins <= longestLife + CLOCK_SKEW_SECONDS) return undefined;
  return new CertificateFault('a life of more than 12 months', 'ask the registrar for a shorter one');
}

/** Some registrars hand out what TS 119 472-2 sends: the JWS in base64url. */
export function compactIn(given: string): string {
  if (given.length > 2 * longestCertificate || given.includes('.')) return given;
  return decodeBase64Url(given)?.toString('utf8') ?? given;
}

function decoded(compact: string): DecodedJws {
  try {
    return decodeJws(compact, { maxLength: longestCertificate });
  } catch (error) {
    if (!(error instanceof JwsError)) throw error;
    throw new CertificateFault(
      `no registration certificate: ${error.message}`,
      'give the JWT of the registrar as it is',
    );
  }
}

function certificateIn(payload: JsonObject, header: JsonObject): Omit<RegistrationCertificate, 'compact'> {
  const { sub, name, purpose, status, exp, intermediary } = payload;
  const { registry_uri: registryUri, privacy_policy: policyUri } = payload;
  // JAdES has the signing time in the header.
  const iat = payload['iat'] ?? header['iat'];
  demand(isTime(iat), 'no iat', 'ask the registrar for one that says when it was issued');
  demand(exp === undefined || isTime(exp), 'an exp that is no number', 'ask the registrar for one with a time');
  const endless = 'neither exp nor status';
  demand(exp !== undefined || status !== undefined, endless, 'ask the registrar for one that ends');
  const subject = isJsonObject(sub) ? sub['id'] : sub;
  demand(isName(subject), 'no sub', 'ask the registrar for one with the identifier of your access certificate');
  const entitlements = textsIn(payload['entitlements']);
  demand(entitlements.length > 0, 'no entitlements', 'ask the registrar for one with at least one');
  const between = isJsonObject(intermediary) ? intermediary['sub'] : intermediary;
  const isDirect = intermediary === undefined;
  demand(
    isDirect || isName(between),
    'an intermediary without sub',
    'ask for one with the identifier of the intermediary',
  );
  const legalName = payload['sub_ln'] ?? (isJsonObject(sub) ? sub['legal_name'] : undefined);
  const intendedUseId =
    payload['intended_use_id'] ?? payload['intended_use_identifier'] ?? payload['intendedUseIdentifier'];
  return {
    name: isName(name) ? name : subject,
    subject,
    ...(isName(legalName) && { legalName }),
    ...(isName(between) && { intermediary: between }),
    entitlements,
    ...(isName(intendedUseId) && { intendedUseId }),
    purpose: localTexts(purpose),
    description: localTexts(payload['srv_description']),
    ...(isName(registryUri) && { registryUri }),
    ...(isName(policyUri) && { policyUri }),
    credentials: registeredIn(payload['credentials']),
    attestations: registeredIn(payload['provides_attestations'] ?? payload['provided_attestations']),
    issuedAt: new Date(iat * 1000),
    ...(exp !== undefined && { expiresAt: new Date(exp * 1000) }),
    ...(status !== undefined && { status }),
  };
}

function registeredIn(list: JsonValue | undefined): readonly RegisteredCredential[] {
  return Array.isArray(list) ? list.flatMap((entry) => readRegistered(entry) ?? []) : [];
}

/** Certificates in use have `content` for `value`. */
function localTexts(list: JsonValue | undefined): readonly LocalText[] {
  const entries = Array.isArray(list) ? list.flat().filter(isJsonObject) : [];
  return entries.flatMap((entry) => {
    const { lang = '' } = entry;
    const value = entry['value'] ?? entry['content'];
    return typeof lang === 'string' && typeof value === 'string' ? [{ lang, value }] : [];
  });
}

function textsIn(list: JsonValue | undefined): readonly string[] {
  return Array.isArray(list) ? list.filter(isName) : [];
}

function isName(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value !== '';
}

/** Seconds since 1970, of a date that there is. */
function isTime(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Math.abs(value) < 8.64e12;
}

function shown(value: JsonValue | undefined): string {
  return typeof value === 'string' ? `"${value.slice(0, 40)}"` : 'that is none';
}

function demand(condition: boolean, found: string, remedy: string): asserts condition {
  if (!condition) throw new CertificateFault(found, remedy);
}
