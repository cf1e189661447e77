import { decodeJws, type JwsAlgorithm, verifyJws } from '@app/jose';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/json';
import { FetchPostponed } from './fetch-postponed';
import type { IssuerKeys } from './issuer-keys';
import { checkValidNow, readTimes } from './jwt-times';
import type { FetchForVerifier } from './jwt-vc-issuer';
import type { StatusListReference } from './status-list';
import { demand, Refusal } from './presentation-check';
import {
  decodeStatusList,
  STATUS_INVALID,
  STATUS_SUSPENDED,
  STATUS_VALID,
  type StatusList,
  statusAt,
} from './status-list';
import { TtlCache } from './ttl-cache';

export type StatusCheckerOptions = {
  readonly fetchDocument: FetchForVerifier;
  readonly issuerKeys: Pick<IssuerKeys, 'find'>;
  readonly algorithms: readonly JwsAlgorithm[];
};

const MEDIA_TYPE = 'application/statuslist+jwt';
const MAX_TOKEN_LENGTH = 1024 * 1024;
const CACHE_BYTES = 64 * 1024 * 1024;
const MIN_TTL_SECONDS = 60;
const MAX_TTL_SECONDS = 24 * 3600;

/** Asks the issuers of credentials whether these are still good (Token Status List §8.3). */
export class StatusChecker {
  private readonly cache = new TtlCache<StatusList>(CACHE_BYTES);

  constructor(private readonly options: StatusCheckerOptions) {}

  /**
   * Refuses a credential that its issuer has revoked or suspended, and also one about which no sound statement of the
   * issuer can be had. Answers whether there was a status to check. Throws `Refusal`.
   */
  async check(status: JsonValue | undefined, issuer: string, now: Date): Promise<'valid' | 'none'> {
    if (status === undefined) return 'none';
    const { uri, idx } = readReference(status);
    // A list is an answer about the credentials of one issuer only.
    const key = JSON.stringify([issuer, uri]);
    const list = this.cache.get(key, now) ?? (await this.fetchList(uri, issuer, key, now));
    const value = statusAt(list, idx);
    demand(value !== undefined, 'the status list has no entry for the credential');
    demand(value !== STATUS_INVALID, 'the credential has been revoked');
    demand(value !== STATUS_SUSPENDED, 'the credential is suspended');
    demand(value === STATUS_VALID, 'the credential has a status of unknown meaning');
    return 'valid';
  }

  private async fetchList(uri: string, issuer: string, key: string, now: Date): Promise<StatusList> {
    const jws = decodeJws(await this.fetchToken(uri), { maxLength: MAX_TOKEN_LENGTH });
    const { header, payload } = jws;
    demand(header['typ'] === 'statuslist+jwt', 'the typ of the status list token is not statuslist+jwt');
    demand(payload['sub'] === uri, 'the status list token is about another list');
    const isFromIssuer = payload['iss'] === undefined || payload['iss'] === issuer;
    demand(isFromIssuer, 'the status list token is from another issuer');
    const { jwk } = await this.options.issuerKeys.find(header, issuer, now);
    verifyJws(jws, jwk, this.options.algorithms);
    const expiresAt = readExpiry(payload, now);
    const list = decodeStatusList(payload['status_list']);
    demand(list !== undefined, 'the status list is malformed or too large');
    this.cache.set(key, list, expiresAt, list.bytes.length);
    return list;
  }

  private async fetchToken(uri: string): Promise<string> {
    let answer: Awaited<ReturnType<FetchForVerifier>>;
    try {
      answer = await this.options.fetchDocument(uri, [MEDIA_TYPE]);
    } catch (cause) {
      if (cause instanceof FetchPostponed) throw cause;
      throw new Refusal('the status list could not be fetched', { cause });
    }
    demand(answer.contentType === MEDIA_TYPE, 'the status list has another content type');
    return Buffer.from(answer.body.buffer, answer.body.byteOffset, answer.body.byteLength).toString('latin1');
  }
}

function readReference(status: JsonValue): StatusListReference {
  const list = isJsonObject(status) ? status['status_list'] : undefined;
  // Other mechanisms make no statement that can be understood here.
  demand(
    isJsonObject(list) && Object.keys(status as JsonObject).length === 1,
    'the status of the credential is of another kind',
  );
  const { uri, idx } = list;
  demand(typeof uri === 'string' && URL.canParse(uri), 'the status list of the credential is not named by a URL');
  demand(typeof idx === 'number' && Number.isSafeInteger(idx) && idx >= 0, 'the status index is not a whole number');
  return { uri, idx };
}

/** Checks the times of the token; answers until when (ms) the list may be remembered. */
function readExpiry(payload: JsonObject, now: Date): number {
  const times = readTimes(payload);
  demand(times.iat !== undefined, 'the status list token has no iat');
  checkValidNow(times, now, 'the status list token');
  const { ttl = MIN_TTL_SECONDS } = payload;
  demand(typeof ttl === 'number' && ttl > 0, 'the ttl of the status list token is not a positive number');
  const seconds = Math.min(Math.max(ttl, MIN_TTL_SECONDS), MAX_TTL_SECONDS);
  return Math.min(now.getTime() + seconds * 1000, (times.exp ?? Infinity) * 1000);
}
