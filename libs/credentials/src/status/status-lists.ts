import { type DecodedJws, decodeJws, type JwsAlgorithm, type PublicJwk, verifyJws } from '@app/primitives/jose';
import type { JsonObject, JsonValue } from '@app/primitives/json';
import type { IssuerAnchor } from '../issuers/certified-keys';
import { FetchPostponed } from '../issuers/fetch-postponed';
import type { IssuerKeys } from '../issuers/issuer-keys';
import { checkValidNow, type JwtTimes } from '../jwt-times';
import type { FetchForVerifier } from '../issuers/jwt-vc-issuer';
import { demand, Refusal } from '../presentation-check';
import { coversTypes } from '../issuers/trusted-types';
import { TtlCache } from '../issuers/ttl-cache';

export interface StatusListsOptions {
  readonly fetchDocument: FetchForVerifier;
  readonly issuerKeys: Pick<IssuerKeys, 'find'>;
  readonly algorithms: readonly JwsAlgorithm[];
}

/** Which list it has to be. */
export interface ExpectedList {
  readonly uri: string;
  /** Of the credential. A list is an answer about the credentials of one issuer only. */
  readonly issuer: string;
  /** Of the credential: an anchor may vouch for lists of some types only. */
  readonly types: readonly string[];
  /** What vouched for the issuer of the credential. */
  readonly issuerAnchor?: IssuerAnchor | undefined;
  /** Of an ISO mdoc: under which its lists are signed, in whichever name. */
  readonly roots?: readonly IssuerAnchor[] | undefined;
}

/** A list, and for which types of credentials its signer is trusted; empty = all. */
interface TrustedList<List> {
  readonly list: List;
  readonly types: readonly string[];
}

/** What was read of a list whose signature was not verified yet; the methods throw `Refusal`. */
export interface UnverifiedList<List> {
  /** Of JWS, or what says the same: `x5c`, `kid`. */
  readonly header: JsonObject;
  verify(jwk: PublicJwk, algorithms: readonly JwsAlgorithm[]): void;
  readTimes(): JwtTimes;
  /** @returns `ttl` in seconds, if the issuer gives one */
  read(): { readonly list: List; readonly ttl: number | undefined };
}

/** One way to publish statuses. */
export interface StatusListKind<List extends { readonly bytes: Uint8Array }> {
  readonly mediaTypes: readonly string[];
  /** Refuses what is no such list, or another one, before a key is looked for. Throws `Refusal`. */
  open(body: Uint8Array, mediaType: string, expected: ExpectedList): UnverifiedList<List>;
}

/** Lists that are JWTs; the methods throw `Refusal`. */
export interface JwtListRules<List> {
  readonly mediaTypes: readonly string[];
  checkClaims(jws: DecodedJws, expected: ExpectedList): void;
  readTimes(payload: JsonObject): JwtTimes;
  /** Of a payload whose signature is right. @returns `ttl` in seconds, if the issuer gives one */
  read(payload: JsonObject): { readonly list: List; readonly ttl: number | undefined };
}

export function jwtLists<List extends { readonly bytes: Uint8Array }>(rules: JwtListRules<List>): StatusListKind<List> {
  return {
    mediaTypes: rules.mediaTypes,
    open(body, _mediaType, expected) {
      const token = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
      const jws = decodeJws(token, { maxLength: MAX_TOKEN_LENGTH });
      const { header, payload } = jws;
      rules.checkClaims(jws, expected);
      return {
        header,
        verify: (jwk, algorithms) => {
          verifyJws(jws, jwk, algorithms);
        },
        readTimes: () => rules.readTimes(payload),
        read: () => rules.read(payload),
      };
    },
  };
}

const MAX_TOKEN_LENGTH = 1024 * 1024;
const CACHE_BYTES = 32 * 1024 * 1024;
const MIN_TTL_SECONDS = 60;
const MAX_TTL_SECONDS = 24 * 3600;

/** Signed lists of one kind, fetched from their issuers and kept for as long as these allow: a minute to a day. */
export class FetchedStatusLists<List extends { readonly bytes: Uint8Array }> {
  private readonly cache = new TtlCache<TrustedList<List>>(CACHE_BYTES);

  constructor(
    private readonly options: StatusListsOptions,
    private readonly kind: StatusListKind<List>,
  ) {}

  /** Throws `Refusal` and what else `refusalReason` knows, or `FetchPostponed`. */
  async get(expected: ExpectedList, now: Date): Promise<List> {
    const roots = expected.roots?.map(({ fingerprint }) => fingerprint);
    const key = JSON.stringify([expected.issuer, expected.uri, expected.issuerAnchor?.fingerprint, roots]);
    return this.remembered(expected, key, now) ?? (await this.fetchList(expected, key, now));
  }

  private remembered({ types }: ExpectedList, key: string, now: Date): List | undefined {
    const known = this.cache.get(key, now);
    return known && coversTypes(known.types, types) ? known.list : undefined;
  }

  /** Forgets all lists: those who signed them may not be trusted any more. */
  forget(): void {
    this.cache.clear();
  }

  private async fetchList(expected: ExpectedList, key: string, now: Date): Promise<List> {
    const { body, contentType } = await this.fetchBody(expected.uri);
    // Those who waited for the same document read it once.
    const readMeanwhile = this.remembered(expected, key, now);
    if (readMeanwhile !== undefined) return readMeanwhile;
    const opened = this.kind.open(body, contentType, expected);
    const { jwk, anchor } = await this.options.issuerKeys.find(opened.header, expected.issuer, now, {
      signs: 'status-list',
      uri: expected.uri,
      types: expected.types,
      issuerAnchor: expected.issuerAnchor,
      roots: expected.roots,
    });
    opened.verify(jwk, this.options.algorithms);
    const times = opened.readTimes();
    checkValidNow(times, now, 'the status list');
    const { list, ttl } = opened.read();
    this.cache.set(key, { list, types: anchor?.types ?? [] }, freshUntil(now, times, ttl), list.bytes.length);
    return list;
  }

  private async fetchBody(uri: string): Promise<Awaited<ReturnType<FetchForVerifier>>> {
    let answer: Awaited<ReturnType<FetchForVerifier>>;
    try {
      answer = await this.options.fetchDocument(uri, this.kind.mediaTypes);
    } catch (cause) {
      if (cause instanceof FetchPostponed) throw cause;
      throw new Refusal('the status list could not be fetched', { cause });
    }
    demand(this.kind.mediaTypes.includes(answer.contentType), 'the status list has another content type');
    return answer;
  }
}

/** Until when (ms) a list is remembered. */
function freshUntil(now: Date, { exp = Infinity }: JwtTimes, ttl = MIN_TTL_SECONDS): number {
  const seconds = Math.min(Math.max(ttl, MIN_TTL_SECONDS), MAX_TTL_SECONDS);
  return Math.min(now.getTime() + seconds * 1000, exp * 1000);
}

/** A time to live in whichever unit. Throws `Refusal`. */
export function readTtl(ttl: JsonValue | undefined): number | undefined {
  if (ttl === undefined) return undefined;
  demand(typeof ttl === 'number' && ttl > 0, 'the ttl of the status list is not a positive number');
  return ttl;
}
