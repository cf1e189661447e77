import { escapePointer, type JsonObject, type JsonValue } from '@app/primitives/json';

export type ClaimsErrorReason =
  | 'unsafe-name'
  | 'reserved-name'
  | 'invalid-id'
  | 'too-deep'
  | 'not-json'
  | 'invalid-pointer'
  | 'protected-claim'
  | 'invalid-expiry'
  | 'wrong-type'
  | 'foreign-place';

/** Something that cannot be issued as it was given; `pointer` (RFC 6901) names the place in the claims. */
export class ClaimsError extends Error {
  override readonly name = 'ClaimsError';

  constructor(
    readonly reason: ClaimsErrorReason,
    readonly pointer: string,
    message: string,
  ) {
    super(message);
  }
}

// Verifiers refuse JSON deeper than 32 (`parseStrictJson`), and the credential around the claims needs some of it.
const MAX_DEPTH = 24;

// RFC 9901 §4.1 reserves the first three. `__proto__` would be lost in software that copies members by assignment.
const UNSAFE_NAMES = new Set(['_sd', '_sd_alg', '...', '__proto__']);

/**
 * Refuses claims that no credential may carry: names `__proto__`, `_sd`, `_sd_alg` and `...` at any depth, nesting
 * deeper than 24, values that are not JSON. Throws `ClaimsError`.
 */
export function assertIssuableClaims(claims: JsonObject): void {
  check(claims, '', 1);
}

function check(value: JsonValue, pointer: string, depth: number): void {
  if (depth > MAX_DEPTH) throw new ClaimsError('too-deep', pointer, `the claims are nested deeper than ${MAX_DEPTH}`);
  if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) check(element, `${pointer}/${index}`, depth + 1);
  } else if (typeof value === 'object' && value !== null) {
    if (!isPlainObject(value)) throw new ClaimsError('not-json', pointer, 'the claims hold a value that is not JSON');
    for (const [name, member] of Object.entries(value)) {
      const place = `${pointer}/${escapePointer(name)}`;
      if (UNSAFE_NAMES.has(name) || !isWellFormed(name)) {
        throw new ClaimsError('unsafe-name', place, 'the claims use a reserved member name');
      }
      check(member, place, depth + 1);
    }
  } else if (!isJsonScalar(value)) {
    throw new ClaimsError('not-json', pointer, 'the claims hold a value that is not JSON');
  }
}

/** A whole number of seconds since 1970 (RFC 7519 NumericDate), cut off, never rounded up. */
export function numericDate(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}

/** Refuses an expiry that is not after the time of issue, both in whole seconds. */
export function assertExpiry(issuedAt: Date, expiresAt: Date | undefined): void {
  if (expiresAt !== undefined && !(numericDate(expiresAt) > numericDate(issuedAt))) {
    throw new ClaimsError('invalid-expiry', '', 'the credential would expire before it is issued');
  }
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The types promise it; claims that came through a cast or a driver may still hold NaN, Date or undefined. */
function isJsonScalar(value: unknown): boolean {
  if (typeof value === 'string') return isWellFormed(value);
  return value === null || typeof value === 'boolean' || Number.isFinite(value);
}

/** RFC 7493 §2.1: a lone surrogate is no character, and strict readers refuse the whole text. */
function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
