import { type JsonObject, type JsonValue, parseStrictJsonObject, StrictJsonError } from '@app/json';
import { FetchPostponed } from '../../fetch-postponed';
import type { FetchForVerifier } from '../../jwt-vc-issuer';
import { demand, Refusal } from '../../presentation-check';
import { TtlCache } from '../../ttl-cache';
import { checkIntegrity } from './integrity';

/** A type, and what whoever refers to it states of its metadata. */
export interface TypeReference {
  readonly vct: string;
  /** `vct#integrity` or `extends#integrity`, as it came; absent: none is stated. */
  readonly integrity?: JsonValue | undefined;
}

const MOST_DOCUMENTS = 5;
const CACHE_BYTES = 4 * 1024 * 1024;
const CACHE_MS = 5 * 60_000;
/** Of what is kept of a document, without its addresses. */
const REFERENCE_BYTES = 200;
const what = 'its type metadata';

/**
 * What types extend, as their publishers say at their addresses (SD-JWT VC §5); kept for five minutes. Whether a publisher
 * may say so is for the caller to judge: anyone can extend any type.
 */
export class TypeMetadata {
  private readonly cache = new TtlCache<{ readonly parent?: TypeReference }>(CACHE_BYTES);

  constructor(private readonly fetchDocument: FetchForVerifier) {}

  /**
   * The types from which a type inherits, the nearest first; each is fetched when it is asked for. Ends at a type that has no
   * address, or extends none. Throws `Refusal`, whose message goes on after a comma, or `FetchPostponed`.
   */
  async *extendedBy(type: TypeReference, now: Date): AsyncGenerator<string, void> {
    const seen = new Set([type.vct]);
    let reference: TypeReference | undefined = type;
    for (let read = 0; isTypeAddress(reference.vct); read++) {
      demand(read < MOST_DOCUMENTS, `${what} extends more than ${MOST_DOCUMENTS - 1} types above one another`);
      reference = await this.parentOf(reference, now);
      if (reference === undefined) return;
      demand(!seen.has(reference.vct), `${what} extends itself in a circle`);
      seen.add(reference.vct);
      yield reference.vct;
    }
  }

  private async parentOf(type: TypeReference, now: Date): Promise<TypeReference | undefined> {
    const key = JSON.stringify([type.vct, type.integrity]);
    const known = this.cache.get(key, now);
    if (known) return known.parent;
    const { document, cacheable = true } = await this.fetchMetadata(type);
    const parent = readParent(document);
    const bytes = REFERENCE_BYTES + 2 * JSON.stringify(parent ?? '').length;
    if (cacheable) this.cache.set(key, { ...(parent && { parent }) }, now.getTime() + CACHE_MS, bytes);
    return parent;
  }

  private async fetchMetadata({ vct, integrity }: TypeReference): Promise<{ document: JsonObject; cacheable?: false }> {
    let answer: Awaited<ReturnType<FetchForVerifier>>;
    try {
      answer = await this.fetchDocument(vct, ['application/json']);
    } catch (cause) {
      if (cause instanceof FetchPostponed) throw cause;
      throw new Refusal(`${what} could not be fetched`, { cause });
    }
    if (integrity !== undefined) checkIntegrity(answer.body, integrity, what);
    const document = parse(answer.body);
    demand(document['vct'] === vct, `${what} describes another type`);
    return { document, ...(answer.cacheable === false && { cacheable: false }) };
  }
}

/** Whether metadata of a type may be had at its address. Which addresses are asked is decided where they are fetched. */
export function isTypeAddress(vct: string): boolean {
  return /^https?:\/\//i.test(vct) && URL.canParse(vct);
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
  const vct = document['extends'];
  if (vct === undefined) return undefined;
  demand(typeof vct === 'string' && vct !== '', `${what} does not name the type that it extends`);
  return { vct, integrity: document['extends#integrity'] };
}
