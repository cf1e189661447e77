import {
  type CborMap,
  CborError,
  type CborValue,
  COSE_HEADER,
  coseAlgorithmsOf,
  decodeCbor,
  isCoseSignedBy,
  readCoseSign1,
  Tagged,
} from '@app/primitives/cbor';
import { decodeJws, type JwsAlgorithm, type PublicJwk, verifyCertifiedJws, verifyJws } from '@app/primitives/jose';
import type { JsonObject, JsonValue } from '@app/primitives/json';
import { KeyObject } from 'node:crypto';
import { demand } from '../presentation-check';

/** A signed status list, read and not verified: what a JWT says of it, also when it came as CWT. */
export interface StatusToken {
  /** `typ`, and what names the key. */
  readonly header: JsonObject;
  readonly payload: JsonObject;
  /** Throws what `refusalReason` knows unless the key made the signature. @param algorithms for a key that is a JWK */
  verify(key: PublicJwk | KeyObject, algorithms: readonly JwsAlgorithm[]): void;
}

export const STATUS_LIST_CWT = 'application/statuslist+cwt';
const MAX_LENGTH = 1024 * 1024;

/** Throws what `refusalReason` knows. */
export function readStatusToken(body: Uint8Array, contentType: string): StatusToken {
  if (contentType === STATUS_LIST_CWT) return readCwt(body);
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
  const jws = decodeJws(text, { maxLength: MAX_LENGTH });
  const { header, payload } = jws;
  return {
    header,
    payload,
    verify: (key, algorithms) => {
      if (key instanceof KeyObject) verifyCertifiedJws(jws, key);
      else verifyJws(jws, key, algorithms);
    },
  };
}

const COSE_SIGN1 = 18;
/** The numbers of claims (RFC 8392 §4, Token Status List §5.2). */
export const CWT_CLAIM = { iss: 1, sub: 2, exp: 4, iat: 6, status_list: 65533, ttl: 65534 } as const;

/** Token Status List §5.2; the certificates are in either header, as editions of ISO/IEC 18013-5 differ. */
function readCwt(body: Uint8Array): StatusToken {
  demand(body.length <= MAX_LENGTH, 'the status list token is too large');
  const tagged = decodeCbor(body);
  demand(tagged instanceof Tagged && tagged.tag === COSE_SIGN1, 'the status list token is not a tagged COSE_Sign1');
  const sign1 = readCoseSign1(tagged.content);
  const { protectedHeader, unprotectedHeader, payload } = sign1;
  const claims = payload && decodeCbor(payload);
  demand(payload !== null && claims instanceof Map, 'the status list token has no claims');
  const chain = protectedHeader.get(COSE_HEADER.x5chain) ?? unprotectedHeader.get(COSE_HEADER.x5chain);
  const typ = protectedHeader.get(COSE_HEADER.typ);
  return {
    header: {
      ...(typeof typ === 'string' && { typ: typ.replace(/^application\//, '') }),
      ...(chain !== undefined && { x5c: base64Of(chain) }),
    },
    payload: claimsOf(claims as CborMap),
    verify(key, algorithms) {
      demand(!(key instanceof KeyObject), 'the status list token has to be a JWT');
      const numbers = algorithms.flatMap((algorithm) => coseAlgorithmsOf(algorithm));
      if (!isCoseSignedBy(sign1, key, payload, numbers)) throw new CborError('the signature is not valid');
    },
  };
}

function base64Of(chain: CborValue): string[] {
  const list: readonly CborValue[] = Array.isArray(chain) ? (chain as readonly CborValue[]) : [chain];
  return list.map((der) => (der instanceof Uint8Array ? Buffer.from(der).toString('base64') : ''));
}

function claimsOf(claims: CborMap): JsonObject {
  const entries = Object.entries(CWT_CLAIM).flatMap(([name, number]): (readonly [string, JsonValue])[] => {
    const value = claims.get(number);
    if (typeof value === 'string' || typeof value === 'number') return [[name, value]];
    return value instanceof Map ? [[name, Object.fromEntries(listOf(value as CborMap))]] : [];
  });
  return Object.fromEntries(entries);
}

/** `lst` are bytes here. */
function listOf(list: CborMap): (readonly [string, string | number])[] {
  const [bits, lst] = [list.get('bits'), list.get('lst')];
  return [
    ...(typeof bits === 'number' ? [['bits', bits] as const] : []),
    ...(lst instanceof Uint8Array ? [['lst', Buffer.from(lst).toString('base64url')] as const] : []),
  ];
}
