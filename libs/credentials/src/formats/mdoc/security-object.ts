import {
  type CborKey,
  type CborMap,
  COSE_HEADER,
  type CoseSign1,
  decodeCbor,
  jwkOfCoseKey,
  readCoseSign1,
  type CborValue,
} from '@app/primitives/cbor';
import type { PublicJwk } from '@app/primitives/jose';
import { demand } from '../../presentation-check';
import { asEncoded, asMap, dateIn, isUint, mapIn, textIn } from './cbor-members';

/** Mobile security object: what the issuer signed of a document (ISO/IEC 18013-5, 9.1.2.4). Times in seconds since 1970. */
export interface SecurityObject {
  readonly doctype: string;
  readonly digestAlgorithm: DigestAlgorithm;
  /** By name space and digest id. */
  readonly digests: ReadonlyMap<CborKey, ReadonlyMap<CborKey, Uint8Array>>;
  readonly deviceKey: PublicJwk;
  /** Elements by name space that the device may sign; every one of a name space that is `all`. */
  readonly deviceMaySign: ReadonlyMap<string, 'all' | ReadonlySet<string>>;
  readonly signed: number;
  readonly validFrom: number;
  readonly validUntil: number;
  /** As it is; absent: the issuer gave none. */
  readonly status: CborValue | undefined;
}

/** `issuerAuth`, read and not verified. */
export interface IssuerAuth {
  readonly sign1: CoseSign1;
  /** What the signature is over, as received. */
  readonly payload: Uint8Array;
  /** DER, the signer first. */
  readonly x5chain: readonly Uint8Array[];
  readonly object: SecurityObject;
}

export type DigestAlgorithm = 'sha256' | 'sha384' | 'sha512';

const DIGESTS: ReadonlyMap<string, { readonly algorithm: DigestAlgorithm; readonly bytes: number }> = new Map([
  ['SHA-256', { algorithm: 'sha256', bytes: 32 }],
  ['SHA-384', { algorithm: 'sha384', bytes: 48 }],
  ['SHA-512', { algorithm: 'sha512', bytes: 64 }],
]);

/** Throws `Refusal` or `CborError`. */
export function readIssuerAuth(value: CborValue | undefined): IssuerAuth {
  const sign1 = readCoseSign1(value);
  const { payload, protectedHeader, unprotectedHeader } = sign1;
  demand(payload !== null, 'issuerAuth has no payload');
  demand(!protectedHeader.has(COSE_HEADER.x5chain), 'issuerAuth has its certificates in the protected header');
  const object = asEncoded(decodeCbor(payload), 'the payload of issuerAuth');
  return {
    sign1,
    payload,
    x5chain: readX5chain(unprotectedHeader.get(COSE_HEADER.x5chain)),
    object: readObject(asMap(object.decode(), 'the mobile security object')),
  };
}

/** RFC 9360 §2: one certificate alone, or a list; a list of one is read as well. */
function readX5chain(value: CborValue | undefined): readonly Uint8Array[] {
  const list = Array.isArray(value) ? (value as readonly CborValue[]) : [value];
  const isChain = list.length > 0 && list.every((one) => one instanceof Uint8Array);
  demand(isChain, 'issuerAuth has no certificates (x5chain)');
  return list;
}

function readObject(object: CborMap): SecurityObject {
  demand(object.get('version') === '1.0', 'the version of the mobile security object is not 1.0');
  const digest = DIGESTS.get(textIn(object, 'digestAlgorithm'));
  demand(digest !== undefined, 'digestAlgorithm is none of SHA-256, SHA-384 and SHA-512');
  const deviceKeyInfo = mapIn(object, 'deviceKeyInfo');
  const validity = mapIn(object, 'validityInfo');
  return {
    doctype: textIn(object, 'docType'),
    digestAlgorithm: digest.algorithm,
    digests: readDigests(mapIn(object, 'valueDigests'), digest.bytes),
    deviceKey: jwkOfCoseKey(deviceKeyInfo.get('deviceKey')),
    deviceMaySign: readAuthorizations(deviceKeyInfo.get('keyAuthorizations')),
    signed: dateIn(validity, 'signed'),
    validFrom: dateIn(validity, 'validFrom'),
    validUntil: dateIn(validity, 'validUntil'),
    status: object.get('status'),
  };
}

function readDigests(spaces: CborMap, bytes: number): SecurityObject['digests'] {
  const read = new Map<CborKey, ReadonlyMap<CborKey, Uint8Array>>();
  for (const name of spaces.keys()) {
    const digests = mapIn(spaces, name);
    for (const [id, digest] of digests) {
      const isDigest = digest instanceof Uint8Array && digest.length === bytes;
      demand(isUint(id) && isDigest, 'valueDigests has a digest of another length, or an id that is no number');
    }
    read.set(name, digests as ReadonlyMap<CborKey, Uint8Array>);
  }
  return read;
}

function readAuthorizations(value: CborValue | undefined): SecurityObject['deviceMaySign'] {
  const read = new Map<string, 'all' | ReadonlySet<string>>();
  if (value === undefined) return read;
  const authorizations = asMap(value, 'keyAuthorizations');
  const elements = authorizations.get('dataElements');
  if (elements !== undefined) {
    for (const [name, list] of asMap(elements, 'dataElements')) read.set(`${name}`, new Set(texts(list)));
  }
  for (const name of texts(authorizations.get('nameSpaces') ?? [])) read.set(name, 'all');
  return read;
}

function texts(value: CborValue): readonly string[] {
  const list: readonly CborValue[] | undefined = Array.isArray(value) ? (value as readonly CborValue[]) : undefined;
  const names = list?.filter((one) => typeof one === 'string');
  demand(names !== undefined && names.length === list?.length, 'keyAuthorizations are not lists of names');
  return names;
}
