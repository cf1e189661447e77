import { KeptDocument, keySetTimes, type OutboundClient, OutboundError } from '@app/outbound';
import { Problem } from '@app/problem-details';
import { Logger } from '@nestjs/common';
import { createLocalJWKSet, errors, type FlattenedJWSInput, type JSONWebKeySet, type JWTHeaderParameters } from 'jose';
import { performance } from 'node:perf_hooks';

type FindKey = ReturnType<typeof createLocalJWKSet>;

const mostBytes = 256 * 1024;

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
      const accept = ['application/jwk-set+json', 'application/json'];
      const { body } = await this.outbound.get(this.url, { purpose: 'access-tokens', accept, maxBytes: mostBytes });
      return createLocalJWKSet(JSON.parse(body.toString('utf8')) as JSONWebKeySet);
    } catch (error) {
      const reason = error instanceof OutboundError ? error.reason : 'no-jwk-set';
      this.logger.warn({ event: 'access.token-keys-unavailable', reason });
      return undefined;
    }
  }
}
