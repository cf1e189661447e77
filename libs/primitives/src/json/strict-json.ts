import { placeIn, syntaxFault } from './json-syntax';

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export type JsonObject = { [name: string]: JsonValue };

/** @param value from a JSON text */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export type StrictJsonFault =
  'encoding' | 'byte-order-mark' | 'syntax' | 'duplicate-name' | 'too-deep' | 'lone-surrogate' | 'not-an-object';

export class StrictJsonError extends Error {
  override readonly name = 'StrictJsonError';

  // Private: what is logged of an error must not have the text in it.
  readonly #text: string;
  readonly #offset: number;

  constructor(
    readonly fault: StrictJsonFault,
    text = '',
    offset = 0,
  ) {
    super(`The JSON text is refused: ${fault}`);
    this.#text = text;
    this.#offset = offset;
  }

  /** For the person who wrote the text: what is wrong and at which line and column. Repeats nothing of the text. */
  explanation(): string {
    switch (this.fault) {
      case 'encoding':
        return 'its bytes are not UTF-8';
      case 'byte-order-mark':
        return 'it begins with a byte order mark, which has to be left out';
      case 'syntax':
        return syntaxFault(this.#text);
      case 'duplicate-name':
        return `the member at ${placeIn(this.#text, this.#offset)} has the name of an earlier one`;
      case 'too-deep':
        return `objects and lists are nested more than ${MAX_DEPTH} deep at ${placeIn(this.#text, this.#offset)}`;
      case 'lone-surrogate':
        return 'a string has half of a surrogate pair';
      case 'not-an-object':
        return 'it is not an object';
    }
  }
}

const MAX_DEPTH = 32;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses JSON of another party. Beyond `JSON.parse` it rejects duplicate member names (two parsers
 * could read two different values), nesting deeper than `maxDepth` (default 32), bytes that are not UTF-8, a byte
 * order mark, and strings with lone surrogates (RFC 7493). A member called `__proto__` is an ordinary own member.
 * Throws `StrictJsonError`.
 */
export function parseStrictJson(json: string | Uint8Array, maxDepth = MAX_DEPTH): JsonValue {
  const text = typeof json === 'string' ? json : decodeUtf8(json);
  if (text.startsWith('\ufeff')) throw new StrictJsonError('byte-order-mark');
  scan(text, maxDepth);
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    throw new StrictJsonError('syntax', text);
  }
  if (/\\u[dD][89a-fA-F]/.test(text) && hasLoneSurrogate(value)) throw new StrictJsonError('lone-surrogate');
  return value;
}

/** Like `parseStrictJson`, for a text that must hold an object. */
export function parseStrictJsonObject(json: string | Uint8Array, maxDepth = MAX_DEPTH): JsonObject {
  const value = parseStrictJson(json, maxDepth);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new StrictJsonError('not-an-object');
  return value;
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new StrictJsonError('encoding');
  }
}

/**
 * One pass over the text before it is parsed, without recursion: counts nesting and collects the member names of
 * each open object. It need not understand wrong syntax, because `JSON.parse` rejects that afterwards.
 */
function scan(text: string, maxDepth: number): void {
  const open: (Set<string> | undefined)[] = [];
  let names: Set<string> | undefined;
  let nameNext = false;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: {
        const end = endOfString(text, at);
        if (nameNext && names !== undefined) {
          const name = memberName(text.slice(at, end + 1), text);
          if (names.has(name)) throw new StrictJsonError('duplicate-name', text, at);
          names.add(name);
          nameNext = false;
        }
        at = end;
        break;
      }
      case 0x7b: // {
      case 0x5b: // [
        open.push(names);
        if (open.length > maxDepth) throw new StrictJsonError('too-deep', text, at);
        names = text.charCodeAt(at) === 0x7b ? new Set() : undefined;
        nameNext = names !== undefined;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        names = open.pop();
        nameNext = false;
        break;
      case 0x2c: // ,
        nameNext = names !== undefined;
        break;
    }
  }
}

/** The index of the closing quotation mark of the string that opens at `start`. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++;
    if (backslashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  throw new StrictJsonError('syntax', text);
}

/** `"a"` and `"\u0061"` are one name. */
export function memberName(quoted: string, text = quoted): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return JSON.parse(quoted) as string;
  } catch {
    throw new StrictJsonError('syntax', text);
  }
}

/** `JSON.stringify` writes paired surrogates as they are and escapes lone ones. */
function hasLoneSurrogate(value: JsonValue): boolean {
  return /(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(JSON.stringify(value));
}
