import { isJsonObject, type JsonObject } from '@app/primitives/json';
import { KeptDocument, keySetTimes, type OutboundClient, OutboundError } from '@app/outbound';
import { Logger } from '@nestjs/common';

const accept = ['application/jwk-set+json', 'application/json'];
const mostBytes = 256 * 1024;

/** A JWK Set (RFC 7517 §5). */
export interface KeySet {
  readonly keys: JsonObject[];
}

/** The keys by which the OpenID provider signs: fetched when needed, kept while it fails. Throws `OutboundError` while there are none. */
export class ProviderKeys {
  private readonly logger = new Logger('Login');
  private readonly keySet = new KeptDocument(() => this.fetch(), keySetTimes);
  private failure: OutboundError | undefined;

  /** @param now a monotonic clock in milliseconds */
  constructor(
    readonly address: string,
    private readonly outbound: Pick<OutboundClient, 'get'>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  async current(): Promise<KeySet> {
    const keys = await this.keySet.current(this.now());
    if (!keys) throw this.failure ?? new OutboundError('malformed-body', 'the provider has no keys');
    return keys;
  }

  /** For a signature by none of the current ones, which are given again when they were asked for a moment ago. */
  async newer(): Promise<KeySet> {
    const keys = await this.keySet.newer(this.now());
    if (!keys && this.failure) throw this.failure;
    return keys ?? this.current();
  }

  private async fetch(): Promise<KeySet | undefined> {
    try {
      const { body } = await this.outbound.get(this.address, { purpose: 'login', accept, maxBytes: mostBytes });
      const keys = keySetIn(body.toString('utf8'));
      this.failure = undefined;
      return keys;
    } catch (error) {
      this.failure = error instanceof OutboundError ? error : noKeySet(error);
      const { reason } = this.failure;
      this.logger.warn({ event: 'login.keys-unavailable', reason }, 'The keys of the login provider cannot be had');
      return undefined;
    }
  }
}

function keySetIn(text: string): KeySet {
  const set: unknown = JSON.parse(text);
  const keys = isJsonObject(set) ? set['keys'] : undefined;
  if (!Array.isArray(keys) || !keys.every((key) => isJsonObject(key))) throw noKeySet();
  return { keys };
}

function noKeySet(cause?: unknown): OutboundError {
  return new OutboundError('malformed-body', 'the provider answers with no JWK Set', { cause });
}
