import type { JwsAlgorithm, PublicJwk } from '@app/primitives/jose';
import type { JsonObject, JsonValue } from '@app/primitives/json';
import type { KeyObject } from 'node:crypto';
import type { IssuerAnchor } from '../issuers/certified-keys';
import { FetchPostponed } from '../issuers/fetch-postponed';
import type { IssuerKey, IssuerKeys } from '../issuers/issuer-keys';
import { checkValidNow, type JwtTimes } from '../jwt-times';
import type { FetchForVerifier } from '../issuers/jwt-vc-issuer';
import { demand, Refusal } from '../presentation-check';
import { coversTypes } from '../issuers/trusted-types';
import { readStatusToken, STATUS_LIST_CWT, type StatusToken } from './status-token';
import { TtlCache } from '../issuers/ttl-cache';

/** Who may sign a list: the key, of whichever kind it is where a certificate alone names it, and what vouches for it. */
export interface SignerOfList {
  readonly key: PublicJwk | KeyObject;
  readonly anchor?: IssuerAnchor;
}

export interface StatusListsOptions {
  readonly fetchDocument: FetchForVerifier;
  readonly issuerKeys: { find(...asked: Parameters<IssuerKeys['find']>): Promise<IssuerKey | SignerOfList> };
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
  /** Whether it is a document of ISO/IEC 18013-5: its issuer has no name, and the list is signed under the same root. */
  readonly isOfDocument?: boolean | undefined;
}

/** A list, and for which types of credentials its signer is trusted; empty = all. */
interface TrustedList<List> {
  readonly list: List;
  readonly types: readonly string[];
}

/** One way to publish statuses; the methods throw `Refusal`. */
export interface StatusListKind<List extends { readonly bytes: Uint8Array }> {
  readonly mediaTypes: readonly string[];
  /** Whether such lists come as CWT as well, which issuers of documents publish. */
  readonly isAlsoCwt: boolean;
  /** Refuses what is no such list, or another one, before a key is looked for. */
  checkClaims(token: Pick<StatusToken, 'header' | 'payload'>, expected: ExpectedList): void;
  readTimes(payload: JsonObject): JwtTimes;
  /** Of a payload whose signature is right. @returns `ttl` in seconds, if the issuer gives one */
  read(payload: JsonObject): { readonly list: List; readonly ttl: number | undefined };
}

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
    const key = JSON.stringify([expected.issuer, expected.uri, expected.issuerAnchor?.fingerprint]);
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
    const { contentType, body } = await this.fetchToken(expected);
    // Those who waited for the same document read it once.
    const readMeanwhile = this.remembered(expected, key, now);
    if (readMeanwhile !== undefined) return readMeanwhile;
    const token = readStatusToken(body, contentType);
    const { header, payload } = token;
    this.kind.checkClaims(token, expected);
    const signer = await this.options.issuerKeys.find(header, expected.issuer, now, {
      signs: 'status-list',
      uri: expected.uri,
      types: expected.types,
      issuerAnchor: expected.issuerAnchor,
      isOfDocument: expected.isOfDocument,
    });
    token.verify('jwk' in signer ? signer.jwk : signer.key, this.options.algorithms);
    const times = this.kind.readTimes(payload);
    checkValidNow(times, now, 'the status list');
    const { list, ttl } = this.kind.read(payload);
    this.cache.set(key, { list, types: signer.anchor?.types ?? [] }, freshUntil(now, times, ttl), list.bytes.length);
    return list;
  }

  private async fetchToken({ uri, isOfDocument }: ExpectedList): ReturnType<FetchForVerifier> {
    const { mediaTypes, isAlsoCwt } = this.kind;
    const accepted = isAlsoCwt && isOfDocument ? [STATUS_LIST_CWT, ...mediaTypes] : mediaTypes;
    let answer: Awaited<ReturnType<FetchForVerifier>>;
    try {
      answer = await this.options.fetchDocument(uri, accepted);
    } catch (cause) {
      if (cause instanceof FetchPostponed) throw cause;
      throw new Refusal('the status list could not be fetched', { cause });
    }
    demand(accepted.includes(answer.contentType), 'the status list has another content type');
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
