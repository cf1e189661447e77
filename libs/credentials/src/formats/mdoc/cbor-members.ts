import {
  type CborKey,
  type CborMap,
  type CborValue,
  DATE_TIME,
  decodeCbor,
  ENCODED,
  Tagged,
} from '@app/primitives/cbor';
import { readDateTime } from '../../jwt-times';
import { demand } from '../../presentation-check';

/** Members of CBOR maps by kind; each throws `Refusal` that names the member and nothing of what it holds. */

export function asMap(value: CborValue | undefined, what: string): CborMap {
  demand(value instanceof Map, `${what} is not a map`);
  return value as CborMap;
}

export function mapIn(map: CborMap, name: CborKey): CborMap {
  return asMap(map.get(name), `${name}`);
}

export function textIn(map: CborMap, name: string): string {
  const value = map.get(name);
  demand(typeof value === 'string', `${name} is not a text`);
  return value;
}

/** A date with time (tdate). @returns seconds since 1970 */
export function dateIn(map: CborMap, name: string): number {
  const value = map.get(name);
  demand(value instanceof Tagged && value.tag === DATE_TIME, `${name} is not a date with time`);
  const time = typeof value.content === 'string' ? readDateTime(value.content) : undefined;
  demand(time !== undefined, `${name} is not a date with time`);
  return time;
}

/** Bytes that are said to be CBOR themselves (tag 24). */
export interface Encoded {
  /** As received, with tag and head: what digests and signatures are over. */
  readonly received: Uint8Array;
  /** Reads what is inside. Throws `CborError`. */
  decode(): CborValue;
}

export function asEncoded(value: CborValue | undefined, what: string): Encoded {
  const isEncoded = value instanceof Tagged && value.tag === ENCODED && value.content instanceof Uint8Array;
  demand(isEncoded, `${what} is not encoded CBOR (tag 24)`);
  const content = value.content;
  return { received: value.bytes, decode: () => decodeCbor(content) };
}

/** An unsigned integer. */
export function isUint(value: CborValue | undefined): value is number | bigint {
  return (
    (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) ||
    (typeof value === 'bigint' && value >= 0n)
  );
}
