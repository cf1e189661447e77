import { isSignedBy, JwsError, parsePublicJwk, type PublicJwk, PublicJwkError } from '../jose/index';
import { CborError, type CborKey, type CborMap, type CborValue, decodeCbor, encodeCbor } from './cbor';

/** COSE_Sign1 (RFC 9052 §4.2) as it was received. */
export interface CoseSign1 {
  /** What the signature covers, as received. */
  readonly protectedBytes: Uint8Array;
  readonly protectedHeader: CborMap;
  readonly unprotectedHeader: CborMap;
  /** Null: the payload is known to both sides and not sent. */
  readonly payload: Uint8Array | null;
  readonly signature: Uint8Array;
}

/** Labels of header parameters (RFC 9052 §3.1, RFC 9360 §2, RFC 9596 §2). */
export const COSE_HEADER = { alg: 1, crit: 2, kid: 4, typ: 16, x5chain: 33 } as const;

/** The tag of a COSE_Sign1 (RFC 9052 §2). */
export const COSE_SIGN1 = 18;

/** Algorithms by number, each with the name that JWS gives it (RFC 9053 §2, RFC 9864 §2). */
const JWS_NAMES = new Map<CborValue, 'ES256' | 'ES384' | 'EdDSA'>([
  [-7, 'ES256'],
  [-9, 'ES256'],
  [-35, 'ES384'],
  [-51, 'ES384'],
  [-8, 'EdDSA'],
  [-19, 'EdDSA'],
]);

/** The numbers of a JWS algorithm, first the one that headers have. */
export function coseAlgorithmsOf(jws: string): readonly number[] {
  return [...JWS_NAMES].filter(([, name]) => name === jws).map(([number]) => number as number);
}

/** Reads one without a tag, as mdocs have it. Throws `CborError`. */
export function readCoseSign1(value: CborValue | undefined): CoseSign1 {
  if (!Array.isArray(value) || value.length !== 4) throw new CborError('it is not a COSE_Sign1 of four parts');
  const [protectedBytes, unprotectedHeader, payload, signature] = value as readonly CborValue[];
  if (
    !(protectedBytes instanceof Uint8Array) ||
    !(unprotectedHeader instanceof Map) ||
    !(payload instanceof Uint8Array || payload === null) ||
    !(signature instanceof Uint8Array)
  ) {
    throw new CborError('a part of the COSE_Sign1 is of another kind');
  }
  const protectedHeader = decodeCbor(protectedBytes);
  if (!(protectedHeader instanceof Map)) throw new CborError('the protected header is not a map');
  // RFC 9052 §3.1: whoever does not understand what is named there refuses, and nothing is understood here.
  if (protectedHeader.has(COSE_HEADER.crit)) throw new CborError('the protected header has crit');
  return { protectedBytes, protectedHeader, unprotectedHeader, payload, signature };
}

/**
 * Whether the key made the signature over the payload, with the algorithm of the protected header; nothing else is covered.
 * Throws `CborError` for an algorithm that is not accepted, or not of this key.
 * @param algorithms accepted numbers, such as -7 and -9
 */
export function isCoseSignedBy(
  sign1: CoseSign1,
  key: PublicJwk,
  payload: Uint8Array,
  algorithms: readonly number[],
): boolean {
  const number = sign1.protectedHeader.get(COSE_HEADER.alg);
  const algorithm = JWS_NAMES.get(number);
  if (algorithm === undefined || !algorithms.includes(number as number)) {
    throw new CborError('the algorithm is not accepted');
  }
  try {
    return isSignedBy(key, algorithm, toBeSigned(sign1.protectedBytes, payload), Buffer.from(sign1.signature));
  } catch (error) {
    if (error instanceof JwsError) throw new CborError(error.message, { cause: error });
    throw error;
  }
}

/** Signs. @param sign raw bytes to r and s side by side; @returns the four parts, without a tag */
export async function signCose(
  headers: { readonly protectedHeader: CborMap; readonly unprotectedHeader: CborMap },
  payload: Uint8Array,
  sign: (data: Buffer) => Promise<Buffer>,
): Promise<readonly CborValue[]> {
  const protectedBytes = encodeCbor(headers.protectedHeader);
  return [protectedBytes, headers.unprotectedHeader, payload, await sign(toBeSigned(protectedBytes, payload))];
}

/** The value of `x5chain` (RFC 9360 §2): one certificate alone, several as a list. @param chain DER, the signer first */
export function x5chainOf(chain: readonly Uint8Array[]): CborValue {
  const [only, ...others] = chain;
  return others.length === 0 ? only : chain;
}

/** Sig_structure (RFC 9052 §4.4). */
function toBeSigned(protectedBytes: Uint8Array, payload: Uint8Array): Buffer {
  return encodeCbor(['Signature1', protectedBytes, new Uint8Array(), payload]);
}

const KEY = { kty: 1, crv: -1, x: -2, y: -3, d: -4 } as const;
const KTY = { OKP: 1, EC: 2 } as const;
const CURVES = { 'P-256': 1, 'P-384': 2, Ed25519: 6 } as const;

/** COSE_Key (RFC 9053 §7) of a public key. */
export function coseKeyOf(jwk: PublicJwk): CborMap {
  const x = Buffer.from(jwk.x, 'base64url');
  if (jwk.kty === 'OKP')
    return new Map<CborKey, CborValue>([
      [KEY.kty, KTY.OKP],
      [KEY.crv, CURVES[jwk.crv]],
      [KEY.x, x],
    ]);
  const y = Buffer.from(jwk.y, 'base64url');
  return new Map<CborKey, CborValue>([
    [KEY.kty, KTY.EC],
    [KEY.crv, CURVES[jwk.crv]],
    [KEY.x, x],
    [KEY.y, y],
  ]);
}

/** The public key of a COSE_Key: P-256, P-384 or Ed25519, without a private part. Throws `CborError`. */
export function jwkOfCoseKey(value: CborValue | undefined): PublicJwk {
  if (!(value instanceof Map)) throw new CborError('the key is not a COSE_Key');
  const key = value as CborMap;
  if (key.has(KEY.d)) throw new CborError('the key has a private part');
  const crv = Object.entries(CURVES).find(([, number]) => number === key.get(KEY.crv))?.[0];
  const kty = Object.entries(KTY).find(([, number]) => number === key.get(KEY.kty))?.[0];
  try {
    return parsePublicJwk({ kty, crv, x: text(key.get(KEY.x)), y: text(key.get(KEY.y)) });
  } catch (error) {
    if (error instanceof PublicJwkError) throw new CborError(error.message, { cause: error });
    throw error;
  }
}

function text(coordinate: CborValue): string | undefined {
  return coordinate instanceof Uint8Array ? Buffer.from(coordinate).toString('base64url') : undefined;
}
