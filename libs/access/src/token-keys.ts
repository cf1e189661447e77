import { OutboundError, type OutboundClient } from '@app/outbound';
import { Problem } from '@app/problem-details';
import { Logger } from '@nestjs/common';
import { createLocalJWKSet, errors, type FlattenedJWSInput, type JSONWebKeySet, type JWTHeaderParameters } from 'jose';
import { performance } from 'node:perf_hooks';

type FindKey = ReturnType<typeof createLocalJWKSet>;

/** How long a JWK Set is taken as current: a key its owner takes back is refused after this time at the latest. */
const currentForMs = 10 * 60_000;
/** After an attempt, so that tokens with made-up key ids do not make us hammer the server of the keys. */
const coolDownMs = 30_000;
const mostBytes = 256 * 1024;

/** The public keys of the server that issues access tokens, by its JWK Set: fetched when needed, kept when it fails. */
export class TokenKeys {
  private readonly logger = new Logger('Access');
  private held: { readonly find: FindKey; readonly fetchedAt: number } | undefined;
  private attemptedAt = -Infinity;
  private pending: Promise<FindKey> | undefined;

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
    const find = await this.current();
    try {
      return await find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      const newer = await this.newer();
      if (!newer) throw error;
      return newer(header, token);
    }
  }

  private async current(): Promise<FindKey> {
    if (!this.held) return this.fetched();
    if (this.now() - this.held.fetchedAt < currentForMs) return this.held.find;
    return (await this.newer()) ?? this.held.find;
  }

  /** Undefined when it was asked for a moment ago, or when the server fails. */
  private async newer(): Promise<FindKey | undefined> {
    // Who comes while an attempt is under way shares it.
    if (!this.pending && this.now() - this.attemptedAt < coolDownMs) return undefined;
    return this.fetched().catch(() => undefined);
  }

  private fetched(): Promise<FindKey> {
    this.pending ??= this.fetch().finally(() => (this.pending = undefined));
    return this.pending;
  }

  private async fetch(): Promise<FindKey> {
    this.attemptedAt = this.now();
    try {
      const accept = ['application/jwk-set+json', 'application/json'];
      const { body } = await this.outbound.get(this.url, { purpose: 'access-tokens', accept, maxBytes: mostBytes });
      const find = createLocalJWKSet(JSON.parse(body.toString('utf8')) as JSONWebKeySet);
      this.held = { find, fetchedAt: this.now() };
      return find;
    } catch (error) {
      const reason = error instanceof OutboundError ? error.reason : 'no-jwk-set';
      this.logger.warn({ event: 'access.token-keys-unavailable', reason });
      throw new Problem('unavailable', 'The keys of access tokens cannot be fetched at the moment.', [], {
        'Retry-After': '5',
      });
    }
  }
}
