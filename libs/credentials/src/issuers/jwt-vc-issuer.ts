import { parsePublicJwk, type PublicJwk, PublicJwkError } from '@app/primitives/jose';
import { type JsonObject, type JsonValue, parseStrictJsonObject, StrictJsonError } from '@app/primitives/json';
import { FetchPostponed } from './fetch-postponed';
import { demand, Refusal } from '../presentation-check';
import { TtlCache } from './ttl-cache';

/**
 * Fetches a document for the verifier. `contentType` is the media type without parameters. Rejects with
 * `FetchPostponed` when it cannot be asked for now. A document of our own is not cacheable: it is at hand, and its keys change.
 */
export type FetchForVerifier = (
  url: string,
  accept: readonly string[],
) => Promise<{ readonly body: Uint8Array; readonly contentType: string; readonly cacheable?: false }>;

type KeySet = {
  readonly keys: readonly { readonly kid?: string; readonly jwk: PublicJwk }[];
  readonly fetchedAt: number;
};

const CACHE_BYTES = 8 * 1024 * 1024;
/** Of a stored key, without its name. */
const KEY_BYTES = 500;
const CACHE_MS = 5 * 60_000;
// A kid that is not there may belong to a key published after the document was fetched, but asking for made-up kids
// must not become a way to send requests.
const REFETCH_AFTER_MS = 30_000;
const MAX_KEYS = 100;

/** The keys of issuers named by URL: JWT VC Issuer Metadata (SD-JWT VC draft 11 §5), kept for five minutes. */
export class JwtVcIssuerKeys {
  private readonly cache = new TtlCache<KeySet>(CACHE_BYTES);

  constructor(private readonly fetchDocument: FetchForVerifier) {}

  /** The key `kid` of an issuer; without `kid` its only key. Throws `Refusal`. */
  async find(issuer: string, kid: string | undefined, now: Date): Promise<PublicJwk> {
    const cached = this.cache.get(issuer, now);
    const known = cached && pick(cached, kid);
    if (known !== undefined) return known;
    const isFresh = cached !== undefined && now.getTime() - cached.fetchedAt < REFETCH_AFTER_MS;
    const keySet = isFresh ? cached : await this.fetchKeySet(issuer, now);
    const key = pick(keySet, kid);
    demand(key !== undefined, 'the issuer publishes no such key, or several and the credential names none');
    return key;
  }

  private async fetchKeySet(issuer: string, now: Date): Promise<KeySet> {
    const { json: metadata, cacheable } = await this.fetchJson(metadataUrl(issuer), ['application/json'], 'metadata');
    demand(metadata['issuer'] === issuer, 'the metadata belongs to another issuer');
    const { jwks, jwks_uri: jwksUri } = metadata;
    demand(
      (jwks === undefined) !== (jwksUri === undefined),
      'the metadata does not have exactly one of jwks and jwks_uri',
    );
    const keySet: KeySet = { keys: readKeys(jwks ?? (await this.fetchJwks(jwksUri))), fetchedAt: now.getTime() };
    if (cacheable) this.cache.set(issuer, keySet, now.getTime() + CACHE_MS, bytesOf(keySet));
    return keySet;
  }

  private async fetchJwks(url: JsonValue | undefined): Promise<JsonObject> {
    demand(typeof url === 'string', 'the jwks_uri of the issuer is not a URL');
    return (await this.fetchJson(url, ['application/jwk-set+json', 'application/json'], 'keys')).json;
  }

  private async fetchJson(
    url: string,
    accept: readonly string[],
    what: string,
  ): Promise<{ readonly json: JsonObject; readonly cacheable: boolean }> {
    let answer: Awaited<ReturnType<FetchForVerifier>>;
    try {
      answer = await this.fetchDocument(url, accept);
    } catch (cause) {
      if (cause instanceof FetchPostponed) throw cause;
      throw new Refusal(`the ${what} of the issuer could not be fetched`, { cause });
    }
    try {
      return { json: parseStrictJsonObject(answer.body), cacheable: answer.cacheable ?? true };
    } catch (error) {
      if (error instanceof StrictJsonError) throw new Refusal(`the ${what} of the issuer are not JSON`);
      throw error;
    }
  }
}

function bytesOf({ keys }: KeySet): number {
  return keys.reduce((bytes, { kid = '' }) => bytes + KEY_BYTES + 2 * kid.length, 0);
}

/** The well-known part goes between host and path; a slash at the end is dropped. */
function metadataUrl(issuer: string): string {
  const { origin, pathname, search, hash } = new URL(issuer);
  demand(search === '' && hash === '', 'the issuer is named by a URL with a query or a fragment');
  return `${origin}/.well-known/jwt-vc-issuer${pathname.replace(/\/$/, '')}`;
}

function readKeys(jwks: JsonValue): KeySet['keys'] {
  const keys = typeof jwks === 'object' && jwks !== null && !Array.isArray(jwks) ? jwks['keys'] : undefined;
  demand(Array.isArray(keys) && keys.length <= MAX_KEYS, 'the keys of the issuer are not a JWK set');
  return keys.flatMap((value) => {
    const jwk = readSigningKey(value);
    if (jwk === undefined) return [];
    const kid = (value as JsonObject)['kid'];
    return [{ jwk, ...(typeof kid === 'string' && { kid }) }];
  });
}

/** Keys of other kinds and for encryption are left out (RFC 7517 §5). */
function readSigningKey(value: JsonValue): PublicJwk | undefined {
  try {
    const jwk = parsePublicJwk(value);
    return (value as JsonObject)['use'] === 'enc' ? undefined : jwk;
  } catch (error) {
    if (error instanceof PublicJwkError) return undefined;
    throw error;
  }
}

function pick({ keys }: KeySet, kid: string | undefined): PublicJwk | undefined {
  const candidates = kid === undefined ? keys : keys.filter((key) => key.kid === kid);
  return candidates.length === 1 ? candidates[0]?.jwk : undefined;
}
