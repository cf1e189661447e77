import { isUtf8 } from 'node:buffer';

/** What is read of a CBOR item (RFC 8949), and what is written as one. Integers beyond 2^53 are bigint; bytes read are views. */
export type CborValue =
  number | bigint | string | boolean | null | undefined | Uint8Array | readonly CborValue[] | CborMap | Tagged;
export type CborKey = number | bigint | string;
export type CborMap = ReadonlyMap<CborKey, CborValue>;

/** A tag (RFC 8949 §3.4) and what it says something about. */
export class Tagged {
  readonly #received: Uint8Array | undefined;

  /** @param received the bytes it was read from, head included */
  constructor(
    readonly tag: number,
    readonly content: CborValue,
    received?: Uint8Array,
  ) {
    this.#received = received;
  }

  /** What signatures and digests are over: the bytes as they were received, or as they are written here. */
  get bytes(): Uint8Array {
    return this.#received ?? encodeCbor(this);
  }
}

/** Bytes that are not a CBOR item as it is read here; the message holds nothing of them. */
export class CborError extends Error {
  override readonly name = 'CborError';
}

/** Date and time as text (RFC 8949 §3.4.1). */
export const DATE_TIME = 0;
/** Bytes that are an encoded item themselves (RFC 8949 §3.4.5.1). */
export const ENCODED = 24;
/** A calendar date as text, `2026-11-28` (RFC 8943). */
export const FULL_DATE = 1004;

const MOST_LEVELS = 32;
const MAJOR = { unsigned: 0, negative: 1, bytes: 2, text: 3, list: 4, map: 5, tag: 6, simple: 7 } as const;
const SIMPLE: ReadonlyMap<number, CborValue> = new Map<number, CborValue>([
  [20, false],
  [21, true],
  [22, null],
  [23, undefined],
]);

/**
 * Reads exactly one item. Heads may be longer than needed, as wallets in use write them; refused are a key twice in a map,
 * compared by value, keys other than integers and texts, what follows the item, indefinite lengths, lengths beyond the input,
 * text that is not UTF-8 and more than 32 levels. Takes no more memory than the input lets expect. Throws `CborError`.
 */
export function decodeCbor(bytes: Uint8Array): CborValue {
  const reader = new Reader(bytes);
  const value = reader.item(0);
  if (reader.at !== bytes.length) throw new CborError('something follows the item');
  return value;
}

class Reader {
  at = 0;
  private readonly view: DataView;

  constructor(private readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  item(level: number): CborValue {
    if (level > MOST_LEVELS) throw new CborError(`it has more than ${MOST_LEVELS} levels`);
    const start = this.at;
    const initial = this.view.getUint8(this.advance(1));
    const major = initial >> 5;
    const info = initial & 31;
    if (major === MAJOR.simple) return this.simple(info);
    const argument = this.argument(info);
    if (major === MAJOR.unsigned) return argument;
    if (major === MAJOR.negative) return typeof argument === 'bigint' ? -1n - argument : -1 - argument;
    if (major === MAJOR.tag) {
      if (typeof argument === 'bigint') throw new CborError('a tag is not known');
      const content = this.item(level + 1);
      return new Tagged(argument, content, this.bytes.subarray(start, this.at));
    }
    const length = this.length(argument);
    if (major === MAJOR.bytes) return this.slice(length);
    if (major === MAJOR.text) return this.text(length);
    return major === MAJOR.list ? this.list(length, level) : this.map(length, level);
  }

  private list(length: number, level: number): CborValue[] {
    const items: CborValue[] = [];
    while (items.length < length) items.push(this.item(level + 1));
    return items;
  }

  private map(length: number, level: number): CborMap {
    const map = new Map<CborKey, CborValue>();
    while (map.size < length) {
      const key = this.item(level + 1);
      const isKey = typeof key === 'string' || typeof key === 'number' || typeof key === 'bigint';
      if (!isKey) throw new CborError('a key is neither an integer nor a text');
      if (map.has(key)) throw new CborError('a key is twice in a map');
      map.set(key, this.item(level + 1));
    }
    return map;
  }

  private text(length: number): string {
    const bytes = this.slice(length);
    if (!isUtf8(bytes)) throw new CborError('a text is not UTF-8');
    return Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('utf8');
  }

  private simple(info: number): CborValue {
    if (info === 25) return halfFloat(this.view.getUint16(this.advance(2)));
    if (info === 26) return this.view.getFloat32(this.advance(4));
    if (info === 27) return this.view.getFloat64(this.advance(8));
    if (!SIMPLE.has(info)) throw new CborError('a simple value is not known');
    return SIMPLE.get(info);
  }

  private argument(info: number): number | bigint {
    if (info < 24) return info;
    if (info === 24) return this.view.getUint8(this.advance(1));
    if (info === 25) return this.view.getUint16(this.advance(2));
    if (info === 26) return this.view.getUint32(this.advance(4));
    if (info !== 27) throw new CborError('a length is indefinite or reserved');
    const big = this.view.getBigUint64(this.advance(8));
    return big > BigInt(Number.MAX_SAFE_INTEGER) ? big : Number(big);
  }

  /** No item takes less than a byte, so that more of them than bytes are left cannot come. */
  private length(argument: number | bigint): number {
    if (typeof argument === 'bigint' || argument > this.bytes.length - this.at) {
      throw new CborError('a length goes beyond the end');
    }
    return argument;
  }

  private slice(length: number): Uint8Array {
    const start = this.advance(length);
    return this.bytes.subarray(start, start + length);
  }

  /** @returns where it was */
  private advance(octets: number): number {
    const { at } = this;
    if (octets > this.bytes.length - at) throw new CborError('it ends too early');
    this.at = at + octets;
    return at;
  }
}

/** RFC 8949 appendix D. */
function halfFloat(half: number): number {
  const exponent = (half >> 10) & 31;
  const mantissa = half & 1023;
  const sign = half & 0x8000 ? -1 : 1;
  if (exponent === 0) return sign * mantissa * 2 ** -24;
  if (exponent === 31) return mantissa === 0 ? sign * Infinity : NaN;
  return sign * (1024 + mantissa) * 2 ** (exponent - 25);
}

/** Writes an item with the shortest heads and definite lengths. Maps keep their order; numbers that are no integers take 8 bytes. */
export function encodeCbor(value: CborValue): Buffer {
  const parts: Uint8Array[] = [];
  write(value, parts);
  return Buffer.concat(parts);
}

function write(value: CborValue, parts: Uint8Array[]): void {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    const float = Buffer.alloc(9, 0xfb);
    float.writeDoubleBE(value, 1);
    parts.push(float);
  } else if (typeof value === 'number' || typeof value === 'bigint') {
    parts.push(value < 0 ? head(MAJOR.negative, -1n - BigInt(value)) : head(MAJOR.unsigned, value));
  } else if (typeof value === 'string') {
    const text = Buffer.from(value);
    parts.push(head(MAJOR.text, text.length), text);
  } else if (value instanceof Uint8Array) {
    parts.push(head(MAJOR.bytes, value.length), value);
  } else if (value instanceof Tagged) {
    parts.push(head(MAJOR.tag, value.tag));
    write(value.content, parts);
  } else if (value instanceof Map) {
    parts.push(head(MAJOR.map, value.size));
    for (const [key, member] of value as CborMap) {
      write(key, parts);
      write(member, parts);
    }
  } else if (Array.isArray(value)) {
    parts.push(head(MAJOR.list, value.length));
    for (const item of value as readonly CborValue[]) write(item, parts);
  } else {
    const simple = [...SIMPLE].find(([, known]) => known === value)?.[0];
    if (simple === undefined) throw new TypeError('A value has no form in CBOR');
    parts.push(head(MAJOR.simple, simple));
  }
}

function head(major: number, argument: number | bigint): Buffer {
  const type = major << 5;
  if (argument < 24) return Buffer.of(type | Number(argument));
  if (argument < 0x100) return Buffer.of(type | 24, Number(argument));
  const wide = Buffer.alloc(argument < 0x10000 ? 3 : argument < 0x100000000 ? 5 : 9);
  wide[0] = type | (wide.length === 3 ? 25 : wide.length === 5 ? 26 : 27);
  if (wide.length === 9) wide.writeBigUInt64BE(BigInt(argument), 1);
  else wide.writeUIntBE(Number(argument), 1, wide.length - 1);
  return wide;
}
