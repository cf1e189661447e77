import { KeptDocument, keySetTimes, type OutboundClient, OutboundError } from '@app/outbound';
import { Problem } from '@app/primitives/problems';
import { Logger } from '@nestjs/common';
import { createLocalJWKSet, errors, type FlattenedJWSInput, type JSONWebKeySet, type JWTHeaderParameters } from 'jose';
import { performance } from 'node:perf_hooks';

type FindKey = ReturnType<typeof createLocalJWKSet>;

const accept = ['application/jwk-set+json', 'application/json'];
const mostBytes = 256 * 1024;

/** The JWK Set (RFC 7517 §5) at a URL. Throws `OutboundError`, also when there is none. */
export async function fetchTokenKeys(url: string, outbound: Pick<OutboundClient, 'get'>): Promise<JSONWebKeySet> {
  const { body } = await outbound.get(url, { purpose: 'access-tokens', accept, maxBytes: mostBytes });
  try {
    const keySet = JSON.parse(body.toString('utf8')) as JSONWebKeySet;
    createLocalJWKSet(keySet);
    return keySet;
  } catch (cause) {
    throw new OutboundError('malformed-body', 'the answer is no JWK Set', { cause });
  }
}

/** The public keys of the server that issues access tokens, by its JWK Set: fetched when needed, kept when it fails. */
export class TokenKeys {
  private readonly logger = new Logger('Access');
  private readonly keySet = new KeptDocument(() => this.fetch(), keySetTimes);

  /** @param now a monotonic clock in milliseconds */
  constructor(
    private readonly url: string,
    private readonly outbound: Pick<OutboundClient, 'get'>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * The key for the header of a token. Rejects with jose's `JWKSNoMatchingKey` when there is none, with the problem
   * `unavailable` when no JWK Set could ever be fetched.
   */
  async find(header: JWTHeaderParameters, token: FlattenedJWSInput): ReturnType<FindKey> {
    const find = await this.keySet.current(this.now());
    if (!find) {
      throw new Problem('unavailable', 'The keys of access tokens cannot be fetched at the moment.', [], {
        'Retry-After': '5',
      });
    }
    try {
      return await find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      const newer = await this.keySet.newer(this.now());
      if (!newer) throw error;
      return newer(header, token);
    }
  }

  private async fetch(): Promise<FindKey | undefined> {
    try {
      return createLocalJWKSet(await fetchTokenKeys(this.url, this.outbound));
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      this.logger.warn({ event: 'access.token-keys-unavailable', reason: error.reason });
      return undefined;
    }
  }
}
