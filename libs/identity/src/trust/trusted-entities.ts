import { urlOf } from '@app/primitives/url';
import { attributeOf } from '@app/credentials';
import { type DecodedJws, decodeJws, JwsError, verifyCertifiedJws } from '@app/primitives/jose';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/primitives/json';
import { type KeyObject, X509Certificate } from 'node:crypto';
import { isAuthority, type TrustAnchor, trustAnchor, type TrustPurpose } from './trust-anchor';
import { CertificateFault } from '../certificate-fault';

/** Which list is read. */
export interface ExpectedEntities {
  /** The name of the list in queries (`etsi_tl`), too. */
  readonly url: string;
  /** vct, doctype or W3C types that its entities vouch for; empty = all. Lists do not say. */
  readonly types: readonly string[];
  /** One of them has signed it. */
  readonly signers: readonly X509Certificate[];
}

/** A list of trusted entities that is good until `nextUpdate`. */
export interface TrustedEntities {
  readonly sequence: number;
  readonly issued: Date;
  readonly nextUpdate: Date;
  readonly anchors: readonly TrustAnchor[];
  readonly pointers: readonly ListPointer[];
  /** The key of the signer. */
  readonly signedWith: KeyObject;
}

/** Where another list is, and by which certificates it may be signed: SHA-256 as Node has it. */
export interface ListPointer {
  readonly url: string;
  readonly signers: ReadonlySet<string>;
}

export const longestList = 4 * 1024 * 1024;
const clockSkewMs = 60_000;

const services = 'http://uri.etsi.org/19602/SvcType/';
/** TS 119 602 annexes D to I: what the certificates of a service vouch for; other services are passed over. */
const purposesOf: ReadonlyMap<JsonValue | undefined, readonly TrustPurpose[]> = new Map<
  JsonValue | undefined,
  readonly TrustPurpose[]
>([
  [`${services}PID/Issuance`, ['issuer', 'document']],
  [`${services}PID/Revocation`, ['status']],
  [`${services}PubEAA/Issuance`, ['issuer', 'document']],
  [`${services}PubEAA/Revocation`, ['status']],
  [`${services}WalletSolution/Issuance`, ['wallet-provider', 'key-attester']],
  [`${services}WalletSolution/Revocation`, ['status']],
  [`${services}EAA/Issuance`, ['issuer', 'document']],
  [`${services}EAA/Revocation`, ['status']],
  // Revocation of access certificates is by CRL and OCSP, which nothing here looks up.
  [`${services}WRPAC/Issuance`, ['access']],
  [`${services}WRPRC/Issuance`, ['registrar']],
  [`${services}WRPRC/Revocation`, ['status']],
]);
/** Annex H; lists of other kinds have no status, as they name current services only. */
const notified = 'http://uri.etsi.org/19602/PubEAAProvidersList/SvcStatus/notified';

/**
 * Reads an ETSI TS 119 602 list of trusted entities: a compact JWS, signed by a certificate that the settings give. The
 * certificates in its header are not looked at. Throws `CertificateFault`.
 */
export function readTrustedEntities(token: string, expected: ExpectedEntities, now: Date): TrustedEntities {
  const { payload, signedWith, certificates } = verified(token, expected.signers, now);
  // Clause 6.2 has a root member; some published lists leave it out.
  const list = isJsonObject(payload['LoTE']) ? payload['LoTE'] : payload;
  const information = list['ListAndSchemeInformation'];
  if (!isJsonObject(information)) throw unreadable('no ListAndSchemeInformation');
  if (hasCritical(information['SchemeExtensions'])) throw unreadable('a critical extension that is not understood');
  checkOperator(information, certificates);
  const sequence = information['LoTESequenceNumber'];
  if (typeof sequence !== 'number') throw unreadable('no LoTESequenceNumber');
  const issued = dateOf(information['ListIssueDateTime']);
  if (issued === undefined || issued.getTime() > now.getTime() + clockSkewMs)
    throw unreadable('an issue date to come, or none');
  const nextUpdate = dateOf(information['NextUpdate']);
  if (nextUpdate === undefined) throw unreadable('no NextUpdate');
  if (nextUpdate <= now)
    throw new CertificateFault('an expired list', 'ask its operator for a list that is up to date');
  return {
    sequence,
    issued,
    nextUpdate,
    signedWith,
    pointers: objectsIn(information['PointersToOtherLoTE']).flatMap(pointerIn),
    anchors: objectsIn(list['TrustedEntitiesList']).flatMap((entity, place) => anchorsOf(entity, place, expected)),
  };
}

/** Whether the signer of a list is still one of those that are trusted. */
export function hasSignerIn({ signedWith }: TrustedEntities, signers: readonly X509Certificate[]): boolean {
  return signers.some(({ publicKey }) => publicKey.equals(signedWith));
}

type Verified = Pick<DecodedJws, 'payload'> &
  Pick<TrustedEntities, 'signedWith'> & {
    /** Those of the settings that have its key. */
    readonly certificates: readonly X509Certificate[];
  };

/**
 * Clause 6.8: the signer is the operator of the scheme, in its territory. What one of both does not say is not compared: the
 * operator of this service has named the signer.
 */
function checkOperator(information: JsonObject, certificates: readonly X509Certificate[]): void {
  const names = objectsIn(information['SchemeOperatorName']).map(({ value }) => value);
  const territory = information['SchemeTerritory'];
  const differs = (stated: readonly (JsonValue | undefined)[], type: string): boolean =>
    stated.length > 0 &&
    !certificates.some(({ subject }) => {
      const held = attributeOf(subject, type);
      return held === undefined || stated.includes(held) || stated.includes(otherCodes.get(held));
    });
  if (differs(names, 'O')) {
    throw new CertificateFault(
      `the operator ${shown(names[0])}, and a signer of another organisation (O)`,
      'compare the certificate with that of its operator',
    );
  }
  // Lists of the Union are signed by certificates of its member states, too.
  if (territory !== undefined && territory !== 'EU' && differs([territory], 'C')) {
    throw new CertificateFault(
      `the territory ${shown(territory)}, and a signer of another country (C)`,
      'compare the certificate with that of its operator',
    );
  }
}

/** Greece and the United Kingdom have other codes in lists than in certificates. */
const otherCodes: ReadonlyMap<string, string> = new Map([
  ['GR', 'EL'],
  ['GB', 'UK'],
]);

function shown(value: JsonValue | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 100);
}

function pointerIn(pointer: JsonObject): ListPointer[] {
  const url = pointer['LoTELocation'];
  if (typeof url !== 'string' || urlOf(url) === undefined) return [];
  const certificates = objectsIn(pointer['ServiceDigitalIdentities']).flatMap(allCertificatesIn);
  return [{ url, signers: new Set(certificates.map(({ fingerprint256 }) => fingerprint256)) }];
}

function verified(token: string, signers: readonly X509Certificate[], now: Date): Verified {
  const current = signers.filter(({ validFrom, validTo }) => new Date(validFrom) <= now && now <= new Date(validTo));
  if (current.length === 0) {
    throw new CertificateFault('a signer whose certificate has expired', 'get the new certificate of its operator');
  }
  try {
    const jws = decodeJws(token.trim(), { maxLength: longestList });
    const signing = current.filter(({ publicKey }) => isSignedWith(jws, publicKey));
    const [first] = signing;
    if (first) return { payload: jws.payload, signedWith: first.publicKey, certificates: signing };
  } catch (error) {
    if (error instanceof JwsError) throw unreadable('no compact JWS');
    throw error;
  }
  throw new CertificateFault(
    'a list of another signer',
    'compare the certificate with that of its operator; keys on P-256, P-384, P-521 and Ed25519, and RSA keys of 2048 bits or more are supported',
  );
}

function isSignedWith(jws: DecodedJws, key: KeyObject): boolean {
  try {
    verifyCertifiedJws(jws, key);
    return true;
  } catch (error) {
    if (error instanceof JwsError) return false;
    throw error;
  }
}

function anchorsOf(entity: JsonObject, place: number, { url, types }: ExpectedEntities): TrustAnchor[] {
  const information = entity['TrustedEntityInformation'];
  const name = nameIn(isJsonObject(information) ? information['TEName'] : undefined) ?? new URL(url).hostname;
  return objectsIn(entity['TrustedEntityServices'])
    .map((service) => service['ServiceInformation'])
    .filter(isJsonObject)
    .flatMap((service) => {
      const purposes = purposesOf.get(service['ServiceTypeIdentifier']);
      const status = service['ServiceStatus'];
      const isCurrent = status === undefined || status === notified;
      if (purposes === undefined || !isCurrent || hasCritical(service['ServiceInformationExtensions'])) return [];
      const vouching = { name, purposes, types, list: url, entity: `${url} ${place}` };
      return certificatesIn(service['ServiceDigitalIdentity']).map((certificate) => trustAnchor(certificate, vouching));
    });
}

/** Those of authorities: others can vouch for no credential. One that cannot be read does not take trust from its neighbours. */
function certificatesIn(identity: JsonValue | undefined): X509Certificate[] {
  return isJsonObject(identity) ? allCertificatesIn(identity).filter(isAuthority) : [];
}

function allCertificatesIn(identity: JsonObject): X509Certificate[] {
  const listed = objectsIn(identity['X509Certificates']);
  return listed.flatMap(({ val }) => {
    if (typeof val !== 'string') return [];
    try {
      return [new X509Certificate(Buffer.from(val, 'base64'))];
    } catch {
      return [];
    }
  });
}

/** In English when there is one. */
function nameIn(names: JsonValue | undefined): string | undefined {
  const all = objectsIn(names);
  const name = all.find(({ lang }) => lang === 'en') ?? all[0];
  return typeof name?.['value'] === 'string' ? name['value'] : undefined;
}

/** Clause 6.3.17: a list with a critical extension that is not understood must be rejected; none is understood here. */
function hasCritical(extensions: JsonValue | undefined): boolean {
  return objectsIn(extensions).some((extension) => extension['Critical'] === true || extension['critical'] === true);
}

function objectsIn(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function dateOf(value: JsonValue | undefined): Date | undefined {
  const date = typeof value === 'string' ? new Date(value) : undefined;
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date;
}

function unreadable(found: string): CertificateFault {
  return new CertificateFault(found, 'give the address of a signed list in the JSON of ETSI TS 119 602');
}
