import { decodeBase64Url, type DecodedJws, decodeJws } from '@app/primitives/jose';
import { type JsonObject, type JsonValue, parseStrictJson } from '@app/primitives/json';
import { hash } from 'node:crypto';
import type { WithheldElements } from '../../presentation/dcql-match';
import { isAlwaysVisible } from './disclosure-pointers';
import { demand } from '../../presentation-check';

export type ParsedSdJwt = {
  readonly jws: DecodedJws;
  readonly disclosures: readonly string[];
  /** The key binding JWT, when there is one. */
  readonly keyBinding?: string;
  /** Everything up to and including the last tilde: what `sd_hash` covers. */
  readonly presented: string;
  readonly hashAlgorithm: 'sha256' | 'sha384' | 'sha512';
};

export type ProcessedSdJwt = {
  /** The payload with the disclosed claims in their places, of objects without a prototype. */
  readonly claims: JsonObject;
  readonly withheld: WithheldElements;
};

const MAX_LENGTH = 256 * 1024;
const MAX_DISCLOSURES = 512;
const MAX_DISCLOSURE_LENGTH = 32 * 1024;
const MAX_DEPTH = 32;
const HASHES = new Map([
  ['sha-256', 'sha256'],
  ['sha-384', 'sha384'],
  ['sha-512', 'sha512'],
] as const);
// RFC 9901 §7.1 names the first two. `_sd_alg` cannot be set by a holder, and `__proto__` would be lost or worse in
// software that copies members by assignment.
const RESERVED_NAMES = new Set(['_sd', '...', '_sd_alg', '__proto__']);

/** Takes `<JWT>~<disclosure>~...~[<KB-JWT>]` apart (RFC 9901 §4), without verifying anything. Throws `Refusal`. */
export function parseSdJwt(text: string): ParsedSdJwt {
  demand(text.length <= MAX_LENGTH, 'the SD-JWT is too long');
  demand(/^[A-Za-z0-9_.~-]*$/.test(text), 'the SD-JWT has invalid characters');
  const parts = text.split('~');
  demand(parts.length >= 2, 'the SD-JWT has no tilde after its last disclosure');
  const [jwt = '', ...disclosures] = parts;
  const keyBinding = disclosures.pop() ?? '';
  demand(disclosures.length <= MAX_DISCLOSURES, 'the SD-JWT has too many disclosures');
  demand(
    disclosures.every((disclosure) => disclosure !== '' && disclosure.length <= MAX_DISCLOSURE_LENGTH),
    'a disclosure is empty or too long',
  );
  const jws = decodeJws(jwt, { maxLength: MAX_LENGTH });
  return {
    jws,
    disclosures,
    ...(keyBinding !== '' && { keyBinding }),
    presented: text.slice(0, text.length - keyBinding.length),
    hashAlgorithm: readHashAlgorithm(jws.payload),
  };
}

/**
 * Puts the disclosed claims into the payload by RFC 9901 §7.1 steps 3 to 5, with the restriction of SD-JWT VC that
 * iss, nbf, exp, cnf, vct, vct#integrity, aka_vcts, status and what is inside them cannot be disclosed. What
 * comes of it is worth as much as the signature. Effort grows with the length of the text. Throws `Refusal`.
 */
export function processDisclosures(sdJwt: ParsedSdJwt): ProcessedSdJwt {
  return new DisclosureProcessor(sdJwt).process();
}

function readHashAlgorithm(payload: JsonObject): ParsedSdJwt['hashAlgorithm'] {
  if (!Object.hasOwn(payload, '_sd_alg')) return 'sha256';
  const algorithm = [...HASHES].find(([name]) => name === payload['_sd_alg'])?.[1];
  demand(algorithm !== undefined, '_sd_alg does not name sha-256, sha-384 or sha-512');
  return algorithm;
}

/** Where a value stands: how deep, and whether in a claim that is never selectively disclosable. */
type Place = { readonly depth: number; readonly alwaysVisible: boolean };

class DisclosureProcessor {
  /** By digest; those not used yet. */
  private readonly waiting = new Map<string, JsonValue[]>();
  private readonly seenDigests = new Set<string>();
  private readonly withheld = new Map<readonly JsonValue[], readonly number[]>();

  constructor(private readonly sdJwt: ParsedSdJwt) {}

  process(): ProcessedSdJwt {
    for (const disclosure of this.sdJwt.disclosures) {
      const digest = hash(this.sdJwt.hashAlgorithm, disclosure, 'base64url');
      demand(!this.waiting.has(digest), 'a disclosure is sent twice');
      this.waiting.set(digest, readDisclosure(disclosure));
    }
    const { _sd_alg: _, ...payload } = this.sdJwt.jws.payload;
    const claims = this.object(payload, { depth: 1, alwaysVisible: false });
    demand(this.waiting.size === 0, 'a disclosure belongs to no digest in the credential');
    return { claims, withheld: this.withheld };
  }

  private value(value: JsonValue, place: Place): JsonValue {
    if (typeof value !== 'object' || value === null) return value;
    demand(place.depth <= MAX_DEPTH, 'the claims are nested too deeply');
    return Array.isArray(value) ? this.array(value, place) : this.object(value, place);
  }

  private object(source: JsonObject, place: Place): JsonObject {
    const result = Object.create(null) as JsonObject;
    const set = (name: string, value: JsonValue): void => {
      const alwaysVisible = place.alwaysVisible || (place.depth === 1 && isAlwaysVisible(name));
      result[name] = this.value(value, { depth: place.depth + 1, alwaysVisible });
    };
    for (const [name, value] of Object.entries(source)) {
      if (name === '_sd') continue;
      demand(!RESERVED_NAMES.has(name), 'a claim has a reserved name');
      set(name, value);
    }
    for (const digest of readDigests(source)) {
      const disclosure = this.take(digest, place);
      if (disclosure === undefined) continue;
      const [, name, value] = disclosure;
      demand(
        disclosure.length === 3 && typeof name === 'string' && value !== undefined,
        'a disclosure for an object does not have a name',
      );
      demand(!RESERVED_NAMES.has(name), 'a disclosed claim has a reserved name');
      demand(!Object.hasOwn(result, name), 'a disclosed claim already exists');
      demand(place.depth > 1 || !isAlwaysVisible(name), 'a claim is disclosed that must always be visible');
      set(name, value);
    }
    return result;
  }

  private array(source: readonly JsonValue[], place: Place): JsonValue[] {
    const result: JsonValue[] = [];
    const withheldBefore: number[] = [];
    const inside = { ...place, depth: place.depth + 1 };
    let withheld = 0;
    for (const element of source) {
      const digest = readElementDigest(element);
      const disclosure = digest === undefined ? [null, element] : this.take(digest, place);
      if (disclosure === undefined) {
        withheld++;
        continue;
      }
      const [, value] = disclosure;
      demand(disclosure.length === 2 && value !== undefined, 'a disclosure for an array element has a name');
      result.push(this.value(value, inside));
      withheldBefore.push(withheld);
    }
    if (withheld > 0) this.withheld.set(result, withheldBefore);
    return result;
  }

  /** The disclosure of a digest; `undefined` for one that is withheld or a decoy. */
  private take(digest: string, place: Place): JsonValue[] | undefined {
    demand(!this.seenDigests.has(digest), 'a digest appears in the credential twice');
    this.seenDigests.add(digest);
    const disclosure = this.waiting.get(digest);
    if (disclosure === undefined) return undefined;
    this.waiting.delete(digest);
    demand(!place.alwaysVisible, 'a claim is disclosed that must always be visible');
    return disclosure;
  }
}

/** RFC 9901 §4.2: `[salt, name, value]` or `[salt, value]`; which of them it must be is known where its digest stands. */
function readDisclosure(encoded: string): JsonValue[] {
  const bytes = decodeBase64Url(encoded);
  demand(bytes !== undefined, 'a disclosure is not canonical base64url');
  const content = parseStrictJson(bytes, MAX_DEPTH);
  demand(
    Array.isArray(content) && typeof content[0] === 'string',
    'a disclosure is not an array that begins with a salt',
  );
  return content;
}

function readDigests(object: JsonObject): readonly string[] {
  if (!Object.hasOwn(object, '_sd')) return [];
  const digests = object['_sd'];
  demand(
    Array.isArray(digests) && digests.every((digest) => typeof digest === 'string'),
    '_sd is not a list of digests',
  );
  return digests;
}

/** The digest of `{"...": "<digest>"}`; `undefined` for any other element. */
function readElementDigest(element: JsonValue): string | undefined {
  if (typeof element !== 'object' || element === null || Array.isArray(element)) return undefined;
  if (!Object.hasOwn(element, '...')) return undefined;
  const digest = element['...'];
  demand(typeof digest === 'string' && Object.keys(element).length === 1, 'an array element digest is malformed');
  return digest;
}
