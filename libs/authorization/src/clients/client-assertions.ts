import type { SingleUse } from '@app/event-store';
import { WALLET_URLS } from '@app/identity';
import type { JsonValue } from '@app/primitives/json';
import { hashOfSecret } from '@app/keys';
import { OAuthError, type WalletUrls } from '@app/openid4vc';
import { KeptDocument, keySetTimes, OutboundClient, OutboundError } from '@app/outbound';
import { Inject, Injectable } from '@nestjs/common';
import { type ClientKey, readClientAssertion, verifyClientAssertion } from './client-assertion';
import { invalidClient } from './client-faults';
import { readClientKeys } from './client-keys';
import { clientUses } from './oauth-client';
import type { RegisteredClient } from './registered-client';
import { RegisteredClients } from './registered-clients';

/** Anybody can send assertions with wrong signatures in a client's name, and each of them asks for newer keys. */
const times = { ...keySetTimes, pause: 5_000 };
const mostBytes = 256 * 1024;

/** Clients that authenticate by `private_key_jwt` (RFC 7523): their keys are in the file of clients, or at the URL it gives. */
@Injectable()
export class ClientAssertions {
  /** By URL. */
  private readonly keySets = new Map<string, KeptDocument<readonly ClientKey[]>>();

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
    const verifiedBy = (keys: readonly ClientKey[]) =>
      verifyClientAssertion(jws, { clientId, audience: this.urls.issuer, keys, now });
    const { tokenId, acceptedUntil } = await this.withKeys(client.keys, now, verifiedBy);
    const hash = hashOfSecret(JSON.stringify([clientId, tokenId]));
    return { client, use: { kind: clientUses.assertion, hash, expiresAt: acceptedUntil } };
  }

  private async withKeys<T>(
    keys: readonly ClientKey[] | string,
    now: Date,
    verify: (keys: readonly ClientKey[]) => T,
  ): Promise<T> {
    if (typeof keys !== 'string') return verify(keys);
    const keySet = this.keySets.get(keys) ?? new KeptDocument(() => this.fetch(keys), times);
    this.keySets.set(keys, keySet);
    const current = await keySet.current(now.getTime());
    if (!current) {
      const description = 'The keys of the client cannot be fetched now: try again later.';
      throw new OAuthError('temporarily_unavailable', description, { headers: { 'Retry-After': '5' } });
    }
    try {
      return verify(current);
    } catch (error) {
      // The client may have a new key.
      const newer = await keySet.newer(now.getTime());
      if (!newer) throw error;
      return verify(newer);
    }
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
