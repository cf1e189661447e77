import { WalletTokens } from '@app/authorization';
import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { setTimeout as delay } from 'node:timers/promises';
import { clientId, codeForm, FormBrowser, pushRequest, wayBack } from '../support/wallets/authorization';
import { eventually } from '../event-store/accounts';
import { untilReadable } from '../support/database/readable-events';
import { listen } from '../support/http/event-stream';
import { expectRefusal } from '../support/http/refusals';
import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { claims, prepareOffer, publishedTemplate } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { foreignSdJwt, inSeconds } from '../support/presenters/credentials';
import { tokenStatus } from '../support/verifiers/status-readers';
import { readJwt, readSdJwt } from '../support/wallets/credentials';
import { credentialsOfOffer, deferredOffer, submit } from '../support/wallets/deferred';
import { type DpopKey, newDpopKey } from '../support/wallets/dpop';
import { type Holder, newHolder } from '../support/wallets/key-proofs';
import { entryOf, tokenFor, TokenWallet, tokenWallet } from '../support/wallets/token-wallet';
import { credentialsOf, offerUri } from '../support/wallets/wallet';

const service = serviceOfFile({ SERVICE__ISSUANCE__MAX_COPIES: '12' });
let revocable: string;
beforeAll(async () => {
  revocable = await publishedTemplate(service.url, { revocable: true });
});

const issuer = (): string => `${service.url}/openid4vci`;
const holders = (count: number): Holder[] => Array.from({ length: count }, () => newHolder());
const post = (id: string, what: string) => postJson(`${service.url}/v0/credentials/${id}/${what}`, {});
const view = async (id: string): Promise<Json> => answered(200, await get(`${service.url}/v0/credentials/${id}`));

async function walletOf(template = revocable, isBound = true) {
  const { link, credentialIds } = await prepareOffer(service.url, [template]);
  return { wallet: await tokenWallet(link, isBound ? newDpopKey() : undefined), id: credentialIds[0] ?? '' };
}

const payloadOf = (credential: string): Json => readJwt(credential.split('~')[0] ?? '').payload;
const saltsOf = (credential: string): string[] => credential.split('~').slice(1, -1);

describe('a wallet whose token is bound to a key', () => {
  it('gets further copies for its other keys, each with salts, an entry and a notification id of its own', async () => {
    const { wallet, id } = await walletOf();
    const first = answered(200, await wallet.ask(holders(1)));
    await wallet.send('notification', { notification_id: first['notification_id'], event: 'credential_accepted' });
    const second = answered(200, await wallet.ask(holders(1)));
    const batch = answered(200, await wallet.ask(holders(3)));
    const all = [first, second, batch].flatMap(credentialsOf);
    expect(new Set(all.map(entryOf)).size).toBe(5);
    expect(new Set(all.flatMap(saltsOf)).size).toBe(all.flatMap(saltsOf).length);
    expect(new Set([first, second, batch].map((one) => one['notification_id'])).size).toBe(3);
    for (const credential of all.slice(1)) {
      expect(Number(payloadOf(credential)['iat']) % 86_400).toBe(0);
      expect(readSdJwt(credential)).toBeDefined();
    }
    const shown = await view(id);
    expect(shown).toMatchObject({ status: 'Issued', copies: 5, lastIssuedAt: expect.any(String) as string });
    expect(Date.parse(String(shown['lastIssuedAt']))).toBeGreaterThan(Date.parse(String(shown['issuedAt'])));
    const steps = (shown['timeline'] as Json[]).map(({ step, detail }) => `${String(step)}: ${String(detail)}`);
    expect(steps).toContain('issued again: To 3 other keys of the wallet, which asked again. There are 5 copies now.');
  });

  it('gets the same copies for keys that have theirs', async () => {
    const { wallet, id } = await walletOf();
    const keys = holders(1);
    const [first] = await wallet.copies(keys);
    await wallet.copies(holders(2));
    const [again] = await wallet.copies(keys);
    expect(entryOf(again ?? '')).toBe(entryOf(first ?? ''));
    expect(await view(id)).toMatchObject({ copies: 3 });
  });

  it('gives notice of the latest copies only', async () => {
    const { wallet, id } = await walletOf();
    const [older, latest] = [answered(200, await wallet.ask(holders(1))), answered(200, await wallet.ask(holders(1)))];
    const notify = (of: Json, event: string) =>
      wallet.send('notification', { notification_id: of['notification_id'], event });
    expect((await notify(latest, 'credential_accepted')).status).toBe(204);
    expect((await notify(older, 'credential_deleted')).status).toBe(204);
    expect(await view(id)).toMatchObject({ status: 'Accepted' });
    expect((await notify(latest, 'credential_deleted')).status).toBe(204);
    expect(await view(id)).toMatchObject({ status: 'Deleted' });
  });

  it('gets no more than the limit of the settings, or of the template', async () => {
    const { wallet, id } = await walletOf();
    await wallet.copies(holders(10));
    await wallet.copies(holders(2));
    const refused = await wallet.ask(holders(1));
    expectRefusal(refused, 400, 'credential_request_denied');
    expect(refused.json['error_description']).toContain('no more copies');
    expect(await view(id)).toMatchObject({ copies: 12 });
    const few = await publishedTemplate(service.url, { maxCopies: 2 });
    const other = (await walletOf(few)).wallet;
    expectRefusal(await other.ask(holders(3)), 400, 'credential_request_denied');
    await other.copies(holders(2));
    expectRefusal(await other.ask(holders(1)), 400, 'credential_request_denied');
    const bearer = (await walletOf(few, false)).wallet;
    const keys = holders(2);
    for (let times = 0; times < 2; times++) expect(await bearer.copies(keys)).toHaveLength(2);
  });

  it('has all copies suspended, reinstated and revoked together, and gets none in the meantime', async () => {
    const { wallet, id } = await walletOf();
    const all = [...(await wallet.copies(holders(1))), ...(await wallet.copies(holders(2)))];
    for (const [what, value] of [
      ['suspend', 2],
      ['reinstate', 0],
      ['revoke', 1],
    ] as const) {
      expect((await post(id, what)).status).toBe(204);
      await eventually(async () =>
        (await Promise.all(all.map((one) => tokenStatus(one)))).every((status) => status === value),
      );
      if (value === 0) all.push(...(await wallet.copies(holders(1))));
      else expectRefusal(await wallet.ask(holders(1)), 400, 'credential_request_denied');
    }
    expect(await view(id)).toMatchObject({ copies: 4, validity: 'Revoked' });
  });

  it('gets a credential that the portal has signed as it is, as often as it asks', async () => {
    const template = await publishedTemplate(service.url);
    const [key, exp] = [newHolder('ES256', 'did:jwk'), inSeconds(3600)];
    const credential = foreignSdJwt(newHolder('ES256', 'did:jwk'), key, { payload: { exp } });
    const { link, credentialIds } = await prepareOffer(service.url, [template], {}, { credential, expiresAt: 'never' });
    const wallet = await tokenWallet(link, newDpopKey());
    const first = answered(200, await wallet.ask([key]));
    await wallet.send('notification', { notification_id: first['notification_id'], event: 'credential_accepted' });
    for (const keys of [[key], [key, newHolder()]]) expect(await wallet.copies(keys)).toEqual([credential]);
    expect(await view(credentialIds[0] ?? '')).toMatchObject({ status: 'Accepted', copies: 1 });
  });

  it('gets none once the claims are erased; those that are out can be revoked', async () => {
    const { wallet, id } = await walletOf();
    const all = [...(await wallet.copies(holders(1))), ...(await wallet.copies(holders(2)))];
    answered(204, await send(`${service.url}/v0/credentials/${id}/personal_data`, { method: 'DELETE' }));
    expectRefusal(await wallet.ask(holders(1)), 400, 'credential_request_denied');
    expect((await post(id, 'revoke')).status).toBe(204);
    await eventually(async () =>
      (await Promise.all(all.map((one) => tokenStatus(one)))).every((status) => status === 1),
    );
    expect(await view(id)).toMatchObject({ copies: 3, validity: 'Revoked' });
  });

  it('gets copies that end together', async () => {
    const expiresAt = new Date(Date.now() + 30 * 86_400_000).toISOString();
    const { link, credentialIds } = await prepareOffer(service.url, [revocable], {}, { expiresAt });
    const wallet = await tokenWallet(link, newDpopKey());
    const all = [...(await wallet.copies(holders(1))), ...(await wallet.copies(holders(2)))];
    expect(new Set(all.map((one) => payloadOf(one)['exp'])).size).toBe(1);
    expect(await view(credentialIds[0] ?? '')).toMatchObject({ copies: 3, expiresAt });
  });

  it('gets copies of a credential for which it had to wait', async () => {
    const { offerId, link } = await deferredOffer(service.url, [revocable]);
    const wallet = await tokenWallet(link, newDpopKey());
    const keys = holders(1);
    const { transaction_id } = answered(202, await wallet.ask(keys));
    answered(
      201,
      await submit(service.url, { offerId, templateId: revocable, credential: { credentialSubject: claims } }),
    );
    const collect = async () =>
      credentialsOf(answered(200, await wallet.send('deferred_credential', { transaction_id })));
    const [first = ''] = await collect();
    const [second = ''] = await wallet.copies(holders(1));
    expect(entryOf(second)).not.toBe(entryOf(first));
    for (const again of [await collect(), await wallet.copies(keys)])
      expect(again.map(entryOf)).toEqual([entryOf(first)]);
    const [credential] = await credentialsOfOffer(service.url, offerId);
    expect(await view(String(credential?.['credentialId']))).toMatchObject({ copies: 2 });
  });
});

/** A wallet that has accepted an offer by authorization code. */
async function walletByCode(link: string, key: DpopKey | undefined) {
  const offer = answered(200, await get(offerUri(link)));
  const { issuer_state: state } = (offer['grants'] as Record<string, Json>)['authorization_code'] ?? {};
  const pushed = await pushRequest(service.url, { issuer_state: String(state), scope: revocable });
  const browser = new FormBrowser(service.url);
  await browser.open(pushed.page);
  const code = wayBack(await browser.press('approve')).get('code') ?? '';
  const token = await tokenFor(issuer(), codeForm(code, pushed), key);
  return new TokenWallet(issuer(), token, key, revocable, clientId);
}

describe('a refreshed token', () => {
  it('gets further copies of what a portal has submitted for an offer', async () => {
    const { link, credentialIds } = await prepareOffer(service.url, [revocable], { grants: ['authorization_code'] });
    const key = newDpopKey();
    const wallet = await walletByCode(link, key);
    const { token } = wallet;
    const refresh = { grant_type: 'refresh_token', refresh_token: String(token['refresh_token']), client_id: clientId };
    const [first] = await wallet.copies(holders(1));
    const [second] = await wallet.copies(holders(1), { token: await tokenFor(issuer(), refresh, key) });
    expect(entryOf(second ?? '')).not.toBe(entryOf(first ?? ''));
    expect(await view(credentialIds[0] ?? '')).toMatchObject({ copies: 2 });
  });

  it('that is bound to no key gets them once', async () => {
    const { link } = await prepareOffer(service.url, [revocable], { grants: ['authorization_code'] });
    const wallet = await walletByCode(link, undefined);
    const grant = service.app.get(WalletTokens).readAccessToken(String(wallet.token['access_token']))?.grant;
    if (!grant) throw new Error('no access token');
    await wallet.copies(holders(1));
    expectRefusal(await wallet.ask(holders(1)), 400, 'credential_request_denied');
    await delay(50);
    // As a wallet that authenticates has it after a refresh.
    const later = service.app.get(WalletTokens).issueAccessToken(grant, new Date(), { clientId }, false);
    const token = { access_token: later };
    const keys = holders(1);
    for (let times = 0; times < 2; times++) await wallet.copies(keys, { token });
    expectRefusal(await wallet.ask(holders(1), { token }), 400, 'credential_request_denied');
  });
});

describe('the events of a credential', () => {
  it('say how many copies there are', async () => {
    const { wallet, id } = await walletOf();
    await untilReadable(service.app.get<SqlDriver>(SQL_DRIVER));
    const types = 'credential.issued,credential.accepted,credential.revoked';
    const stream = await listen(`${service.url}/v0/events?types=${types}`);
    await stream.next();
    await wallet.copies(holders(2));
    const again = answered(200, await wallet.ask(holders(1)));
    await wallet.send('notification', { notification_id: again['notification_id'], event: 'credential_accepted' });
    await post(id, 'revoke');
    const told = (await stream.take(4)).map(({ type, data }) => [type, (data as Json)['copies']]);
    stream.cut();
    expect(told).toEqual([
      ['credential.issued', 2],
      ['credential.issued', 3],
      ['credential.accepted', undefined],
      ['credential.revoked', 3],
    ]);
  });
});
