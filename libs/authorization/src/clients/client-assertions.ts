import type { SingleUse } from '@app/event-store';
import { WALLET_URLS } from '@app/identity';
import type { JsonValue } from '@app/json';
import { hashOfSecret } from '@app/keys';
import { OAuthError, type WalletUrls } from '@app/openid4vc';
import { OutboundClient, OutboundError } from '@app/outbound';
import { Inject, Injectable } from '@nestjs/common';
import { type ClientKey, readClientAssertion, verifyClientAssertion } from './client-assertion';
import { invalidClient } from './client-faults';
import { readClientKeys } from './client-keys';
import { clientUses } from './oauth-client';
import type { RegisteredClient } from './registered-client';
import { RegisteredClients } from './registered-clients';

interface FetchedKeys {
  readonly keys: readonly ClientKey[];
  /** Milliseconds since 1970. */
  readonly fetchedAt: number;
}

/** Milliseconds: a key that its client takes back is refused after this time at the latest, unless its server fails. */
const currentFor = 10 * 60_000;
/** Milliseconds between two requests of keys, so that assertions with wrong signatures do not make us hammer their server. */
const coolDown = 30_000;
/** Milliseconds between two requests of keys when the first one failed. */
const pause = 5_000;
const mostBytes = 256 * 1024;

/** Clients that authenticate by `private_key_jwt` (RFC 7523): their keys are in the file of clients, or at the URL it gives. */
@Injectable()
export class ClientAssertions {
  private readonly fetched = new Map<string, FetchedKeys>();
  /** Requests that are under way, and when each URL was asked last. */
  private readonly underWay = new Map<string, Promise<readonly ClientKey[] | undefined>>();
  private readonly askedAt = new Map<string, number>();

  constructor(
    private readonly clients: RegisteredClients,
    private readonly outbound: OutboundClient,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
  ) {}

  /** Everything but the single use. Throws `OAuthError`. */
  async verify(
    assertion: string,
    named: string | undefined,
    now: Date,
  ): Promise<{ readonly client: RegisteredClient; readonly use: SingleUse }> {
    const jws = readClientAssertion(assertion);
    const { iss } = jws.payload;
    if (named !== undefined && iss !== named) {
      throw invalidClient('client-assertion', 'client_assertion is not accepted: its iss must be the client_id.');
    }
    const client = typeof iss === 'string' ? this.clients.find(iss) : undefined;
    if (client?.keys === undefined) {
      throw invalidClient('client-unknown', 'No client of this client_id authenticates by private_key_jwt here.');
    }
    const { clientId } = client;
    const verified = async (isRetry: boolean) => {
      const keys = await this.keysOf(client.keys ?? [], now, isRetry);
      return verifyClientAssertion(jws, { clientId, audience: this.urls.issuer, keys, now });
    };
    const { tokenId, acceptedUntil } = await verified(false).catch((error: unknown) => {
      // The client may have a new key.
      if (typeof client.keys === 'string') return verified(true);
      throw error;
    });
    const hash = hashOfSecret(JSON.stringify([clientId, tokenId]));
    return { client, use: { kind: clientUses.assertion, hash, expiresAt: acceptedUntil } };
  }

  private async keysOf(
    keys: readonly ClientKey[] | string,
    now: Date,
    isRetry: boolean,
  ): Promise<readonly ClientKey[]> {
    if (typeof keys !== 'string') return keys;
    const held = this.fetched.get(keys);
    const age = held ? now.getTime() - held.fetchedAt : Infinity;
    if (held && age < (isRetry ? coolDown : currentFor)) return held.keys;
    const fetched = await this.fetchOnce(keys, now);
    if (fetched) this.fetched.set(keys, { keys: fetched, fetchedAt: now.getTime() });
    if (fetched ?? held) return fetched ?? held?.keys ?? [];
    throw new OAuthError('temporarily_unavailable', 'The keys of the client cannot be fetched now: try again later.', {
      headers: { 'Retry-After': '5' },
    });
  }

  /** Whoever sends assertions in a client's name has its server asked once at a time, and not again soon after it failed. */
  private async fetchOnce(url: string, now: Date): Promise<readonly ClientKey[] | undefined> {
    const present = this.underWay.get(url);
    if (present) return present;
    if (now.getTime() - (this.askedAt.get(url) ?? -Infinity) < pause) return undefined;
    this.askedAt.set(url, now.getTime());
    const asked = this.fetch(url).finally(() => this.underWay.delete(url));
    this.underWay.set(url, asked);
    return asked;
  }

  private async fetch(url: string): Promise<readonly ClientKey[] | undefined> {
    const accept = ['application/jwk-set+json', 'application/json'];
    try {
      const { status, body } = await this.outbound.get(url, { purpose: 'client-keys', accept, maxBytes: mostBytes });
      return status === 200 ? readClientKeys(JSON.parse(body.toString('utf8')) as JsonValue) : undefined;
    } catch (error) {
      if (error instanceof OutboundError || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }
}
