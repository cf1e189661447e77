import { urlOf } from '@app/primitives/url';
import { type JsonObject, parseStrictJsonObject, StrictJsonError, type JsonValue } from '@app/primitives/json';
import { hash } from 'node:crypto';
import { FetchPostponed } from '../../issuers/fetch-postponed';
import type { FetchForVerifier } from '../../issuers/jwt-vc-issuer';
import { demand, Refusal } from '../../presentation-check';
import type { TypeInheritance, TypeReference } from '../../presentation/type-inheritance';
import { TtlCache } from '../../issuers/ttl-cache';

/** The strongest first (W3C Subresource Integrity §3.2). */
const integrityAlgorithms = ['sha512', 'sha384', 'sha256'] as const;
const longestIntegrity = 1_024;

const MOST_DOCUMENTS = 5;
const CACHE_BYTES = 4 * 1024 * 1024;
const CACHE_MS = 5 * 60_000;
/** Of what is kept of a document, without its addresses. */
const REFERENCE_BYTES = 200;
const what = 'its type metadata';

/** By the metadata at the addresses of types (SD-JWT VC §5), which are kept for five minutes. */
export class TypeMetadata implements TypeInheritance {
  private readonly cache = new TtlCache<{ readonly parent?: TypeReference }>(CACHE_BYTES);

  /** @param isOwn whether the address is one of ours; our own types extend none */
  constructor(
    private readonly fetchDocument: FetchForVerifier,
    private readonly isOwn: (address: string) => boolean = () => false,
  ) {}

  /** Ends at a type that has no address, or extends none. */
  async *extendedBy(type: TypeReference, now: Date): AsyncGenerator<string, void> {
    const seen = new Set([type.type]);
    let reference: TypeReference | undefined = type;
    for (let read = 0; isTypeAddress(reference.type) && !this.isOwn(reference.type); read++) {
      demand(read < MOST_DOCUMENTS, `${what} extends more than ${MOST_DOCUMENTS - 1} types above one another`);
      reference = await this.parentOf(reference, now);
      if (reference === undefined) return;
      demand(!seen.has(reference.type), `${what} extends itself in a circle`);
      seen.add(reference.type);
      yield reference.type;
    }
  }

  private async parentOf(type: TypeReference, now: Date): Promise<TypeReference | undefined> {
    const key = JSON.stringify([type.type, type.integrity]);
    const known = this.cache.get(key, now);
    if (known) return known.parent;
    const parent = readParent(await this.fetchMetadata(type));
    const bytes = REFERENCE_BYTES + 2 * JSON.stringify(parent ?? '').length;
    this.cache.set(key, { ...(parent && { parent }) }, now.getTime() + CACHE_MS, bytes);
    return parent;
  }

  private async fetchMetadata({ type, integrity }: TypeReference): Promise<JsonObject> {
    let answer: Awaited<ReturnType<FetchForVerifier>>;
    try {
      answer = await this.fetchDocument(type, ['application/json']);
    } catch (cause) {
      if (cause instanceof FetchPostponed) throw cause;
      throw new Refusal(`${what} could not be fetched`, { cause });
    }
    if (integrity !== undefined) checkIntegrity(answer.body, integrity, what);
    const document = parse(answer.body);
    demand(document['vct'] === type, `${what} describes another type`);
    return document;
  }
}

/** Whether metadata of a type may be had at its address. Which addresses are asked is decided where they are fetched. */
export function isTypeAddress(type: string): boolean {
  return /^https?:\/\//i.test(type) && urlOf(type) !== undefined;
}

function parse(body: Uint8Array): JsonObject {
  try {
    return parseStrictJsonObject(body);
  } catch (error) {
    if (error instanceof StrictJsonError) throw new Refusal(`${what} is not a JSON object`);
    throw error;
  }
}

function readParent(document: JsonObject): TypeReference | undefined {
  const type = document['extends'];
  if (type === undefined) return undefined;
  demand(typeof type === 'string' && type !== '', `${what} does not name the type that it extends`);
  return { type, integrity: document['extends#integrity'] };
}

/**
 * Checks a document against the `#integrity` of whoever referred to it (SD-JWT VC §7): hashes in standard base64, of which
 * those by the strongest algorithm count, each an alternative. Throws `Refusal`.
 */
function checkIntegrity(document: Uint8Array, integrity: JsonValue, what: string): void {
  demand(
    typeof integrity === 'string' && integrity.length <= longestIntegrity,
    `the integrity of ${what} is not a text`,
  );
  const stated = integrity.split(/\s+/).map((expression) => expression.split('?')[0] ?? '');
  const strongest = integrityAlgorithms.find((algorithm) => stated.some((one) => one.startsWith(`${algorithm}-`)));
  demand(strongest !== undefined, `the integrity of ${what} is not a hash by sha256, sha384 or sha512`);
  const actual = `${strongest}-${hash(strongest, document, 'base64')}`;
  demand(stated.includes(actual), `${what} is not the one whose hash is stated`);
}
