import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Holder, keyProof, newHolder } from '../support/wallets/key-proofs';
import type { Json } from '../support/http/requests';
import { quickStart } from '../support/portal/portal';
import { preAuthorizedGrant } from '../support/wallets/wallet';
import { type Asked, FaultyClient, type Heard } from './faulty-client';
import type { Act, Effect } from './history';

/** A portal and its wallets: issues credentials one after the other, whatever happens to the service, and records the answers. */
export class PortalAndWallet {
  private readonly client = new FaultyClient();
  private readonly holder: Holder = newHolder();
  private turn = 0;

  /**
   * @param replicas their base URLs; requests go to one after the other
   * @param issuer the credential issuer identifier, the same for all
   * @param random a number from 0 to 1
   */
  constructor(
    private readonly replicas: readonly string[],
    private readonly issuer: string,
    private readonly random: () => number,
    private readonly history: Act[],
    private readonly unexpected: string[],
  ) {}

  /** From the offer to the credential; ends early where something was refused. */
  async issueOnce(): Promise<void> {
    const offerId = randomUUID();
    const opened = await this.act('offer', offerId, {
      method: 'POST',
      path: '/v0/offers',
      headers: { 'Idempotency-Key': randomUUID() },
      body: { offerId },
    });
    if (!opened) return;
    const prepared = await this.act('credential', offerId, {
      method: 'POST',
      path: '/v0/credentials',
      headers: { 'Idempotency-Key': randomUUID() },
      body: {
        offerId,
        credentialConfigurationId: quickStart,
        credential: { credentialSubject: { given_name: 'Ada' } },
      },
    });
    if (!prepared) return;
    if (this.random() < 0.15) {
      await this.act('withdrawal', offerId, { method: 'DELETE', path: `/v0/offers/${offerId}` });
      return;
    }
    const path = new URL(String(opened['credentialOfferUri'])).pathname;
    const offer = await this.read({ method: 'GET', path });
    const grant = ((offer?.['grants'] ?? {}) as Json)[preAuthorizedGrant] as Json | undefined;
    if (grant) await this.receive(offerId, String(prepared['credentialId']), String(grant['pre-authorized_code']));
  }

  close(): void {
    this.client.close();
  }

  private async receive(offerId: string, credentialId: string, code: string): Promise<void> {
    const body = new URLSearchParams({ grant_type: preAuthorizedGrant, 'pre-authorized_code': code });
    const redemption: Asked = { method: 'POST', path: '/openid4vci/token', body };
    // Some codes are used by two wallets at once.
    const hands = this.random() < 0.2 ? 2 : 1;
    const tokens = await Promise.all(Array.from({ length: hands }, () => this.act('redemption', offerId, redemption)));
    const bearer = tokens.find((token) => token !== undefined)?.['access_token'];
    if (typeof bearer !== 'string') return;
    for (let attempt = 0; attempt < 5; attempt++) {
      const fresh = await this.read({ method: 'POST', path: '/openid4vci/nonce' });
      const jwt = keyProof(this.holder, this.issuer, String(fresh?.['c_nonce']));
      const issued = await this.act('issue', credentialId, {
        method: 'POST',
        path: '/openid4vci/credential',
        headers: { Authorization: `Bearer ${bearer}` },
        body: { credential_configuration_id: quickStart, proofs: { jwt: [jwt] } },
      });
      if (issued) break;
    }
    // A code that was used up long ago.
    if (this.random() < 0.1) await this.act('redemption', offerId, redemption);
  }

  /** Sends a request until its outcome is known; undefined unless it was carried out. */
  private async act(effect: Effect, object: string, asked: Asked): Promise<Json | undefined> {
    for (let attempt = 0; attempt < 60; attempt++) {
      const heard = await this.send(asked);
      const isDone = heard.status >= 200 && heard.status < 300;
      const outcome = isDone ? 'done' : heard.isUnknown ? 'unknown' : 'refused';
      this.history.push({ effect, object, outcome, ...(isDone && { result: resultOf(effect, heard.json) }) });
      if (isDone) return heard.json;
      if (!heard.isUnknown && !heard.isRefused) {
        // Codes, nonces and keys of requests that may have been carried out.
        if (!isKnownRefusal(effect, heard))
          this.unexpected.push(`${effect}: ${heard.status} ${JSON.stringify(heard.json)}`);
        return undefined;
      }
      // Some give up after a definite rejection, so that it shows whether it was carried out all the same.
      if (heard.isRefused && this.random() < 0.5) return undefined;
      await delay(50 + 400 * this.random());
      // A nonce may have been used up: the next request has another.
      if (effect === 'issue') return undefined;
    }
    return undefined;
  }

  private async read(asked: Asked): Promise<Json | undefined> {
    for (let attempt = 0; attempt < 60; attempt++) {
      const heard = await this.send(asked);
      if (heard.status === 200) return heard.json;
      if (heard.status !== 0 && heard.status !== 503) {
        this.unexpected.push(`${asked.path}: ${heard.status} ${JSON.stringify(heard.json)}`);
        return undefined;
      }
      await delay(50 + 400 * this.random());
    }
    return undefined;
  }

  private send(asked: Asked): Promise<Heard> {
    return this.client.send(this.replicas[this.turn++ % this.replicas.length] ?? '', asked);
  }
}

/** What tells two successes apart. */
function resultOf(effect: Effect, json: Json): string | undefined {
  switch (effect) {
    case 'offer':
      return String(json['credentialOfferUri']);
    case 'credential':
      return String(json['credentialId']);
    case 'redemption':
      return createHash('sha256').update(String(json['access_token'])).digest('hex');
    // The same keys get the credential once more, with a signature of its own.
    case 'issue':
    case 'withdrawal':
      return undefined;
  }
}

function isKnownRefusal(effect: Effect, { status, json }: Heard): boolean {
  const error = String(json['error']);
  if (effect === 'redemption') return status === 400 && ['invalid_grant', 'invalid_request'].includes(error);
  if (effect === 'issue') return status === 400 && ['invalid_nonce', 'invalid_request'].includes(error);
  return false;
}
