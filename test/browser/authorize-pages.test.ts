import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser/chromium';
import { faultsInEveryLook, visit } from '../support/browser/visit';
import { answered, get, type Json } from '../support/http/requests';
import { prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { idCard, receiveHoldings, tokensFor } from '../support/presenters/holdings';
import { receiveRequest, respond } from '../support/presenters/presenter';
import { type RunningService, startService } from '../support/service/service';
import { pushRequest, type PushedRequest } from '../support/wallets/authorization';
import { offerUri } from '../support/wallets/wallet';

let service: RunningService;
let walletSite: Server;
/** Where the wallet takes the person back, on an origin of its own. */
let redirectUri: string;
beforeAll(async () => {
  service = await startService();
  walletSite = createServer((_, response) => response.end('<!doctype html><title>Wallet</title>'));
  await new Promise<void>((resolve) => walletSite.listen(0, '127.0.0.1', resolve));
  redirectUri = `http://127.0.0.1:${(walletSite.address() as AddressInfo).port}/cb?kept=1`;
});
afterAll(async () => {
  await new Promise((resolve) => walletSite.close(resolve));
  await service.stop();
});

const push = (): Promise<PushedRequest> => pushRequest(service.url, { redirect_uri: redirectUri });

/** Presses keys as a person does who has no pointing device. */
async function pressed(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** Moves the focus on until it is on the element of this id. */
async function tabTo(page: Page, id: string): Promise<void> {
  const focused = page.locator(`#${id}:focus`);
  for (let moves = 0; (await focused.count()) === 0; moves += 1) {
    if (moves === 20) throw new Error(`the keyboard does not reach ${id}`);
    await pressed(page, 'Tab');
  }
}

async function cameBack(page: Page): Promise<Record<string, string>> {
  await page.waitForURL(`${redirectUri}&**`);
  return Object.fromEntries(new URL(page.url()).searchParams);
}

describeInBrowser('in a browser', (browser) => {
  it('everyone can log in and agree, with the keyboard alone, and is taken back to the wallet', async () => {
    const pushed = await push();
    const visited = await visit(browser(), pushed.page);
    const { page, complaints, requested } = visited;
    expect(await faultsInEveryLook(visited, 'authorize login')).toEqual({});
    await tabTo(page, 'username');
    await page.keyboard.type('ada.lovelace');
    await pressed(page, 'Tab');
    await page.keyboard.type('any password');
    await pressed(page, 'Enter');
    await page.getByRole('heading', { name: 'Do you want this in your wallet?' }).waitFor();
    expect(await page.locator('main').innerText()).toMatch(/wallet\.example \(127\.0\.0\.1:\d+\)[^]*Lovelace/);
    expect(await faultsInEveryLook(visited, 'authorize consent')).toEqual({});
    expect(requested.filter((asked) => !asked.startsWith(`${service.url}/`))).toEqual([]);
    await tabTo(page, 'approve');
    await pressed(page, 'Enter');
    expect(await cameBack(page)).toEqual({
      kept: '1',
      code: expect.any(String) as string,
      state: pushed.state,
      iss: `${service.url}/openid4vci`,
    });

    await page.goto(pushed.page);
    await page.getByRole('heading', { name: 'This page is no longer valid' }).waitFor();
    expect(await faultsInEveryLook(visited, 'authorize ended')).toEqual({});
    // The status of the last page, 400, is the only thing that a browser notes.
    expect(complaints.filter((complaint) => !complaint.includes('status of 400'))).toEqual([]);
    await visited.close();
  });

  it('a person without the transaction code of an offer is told, and can refuse', async () => {
    const offer = { grants: ['authorization_code'], txCode: true };
    const { link } = await prepareOffer(service.url, [quickStart], offer);
    const { grants } = answered(200, await get(offerUri(link)));
    const { issuer_state } = (grants as Record<string, Json>)['authorization_code'] ?? {};
    const pushed = await pushRequest(service.url, { redirect_uri: redirectUri, issuer_state: String(issuer_state) });
    const visited = await visit(browser(), pushed.page);
    const { page } = visited;
    await tabTo(page, 'tx_code');
    await page.keyboard.type('wrong!');
    await pressed(page, 'Enter');
    await page.getByRole('alert').waitFor();
    expect(await faultsInEveryLook(visited, 'authorize transaction code')).toEqual({});
    await tabTo(page, 'reject');
    await pressed(page, 'Enter');
    expect(await cameBack(page)).toMatchObject({ error: 'access_denied' });
    await visited.close();
  });

  it('the wrong person reads that it is for somebody else, and who is right can go on in the same browser', async () => {
    const expectedSubject = { claim: 'preferred_username', value: 'ada.lovelace' };
    const offer = { grants: ['authorization_code'], identification: 'development', expectedSubject };
    const { link } = await prepareOffer(service.url, [quickStart], offer);
    const { grants } = answered(200, await get(offerUri(link)));
    const { issuer_state } = (grants as Record<string, Json>)['authorization_code'] ?? {};
    const pushed = await pushRequest(service.url, { redirect_uri: redirectUri, issuer_state: String(issuer_state) });
    const visited = await visit(browser(), pushed.page);
    const { page, complaints } = visited;
    const logIn = async (name: string) => {
      await tabTo(page, 'username');
      await page.keyboard.type(name);
      await pressed(page, 'Enter');
    };
    await logIn('charles.babbage');
    await page.getByRole('heading', { name: 'This is meant for somebody else' }).waitFor();
    expect(await faultsInEveryLook(visited, 'authorize unexpected')).toEqual({});
    await tabTo(page, 'anew');
    await pressed(page, 'Enter');
    await logIn('ada.lovelace');
    await page.getByRole('heading', { name: 'Do you want this in your wallet?' }).waitFor();
    await tabTo(page, 'anew');
    await pressed(page, 'Enter');
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    // Nor does the way back show her claims again.
    await page.goBack();
    expect(await page.locator('main').innerText()).not.toContain('Lovelace');
    expect(complaints).toEqual([]);
    await visited.close();
  });

  it('a person can show by a wallet on this device who they are', async () => {
    const erika = await receiveHoldings(service.url, { given_name: 'Erika' });
    const presentation = { credentials: [{ ...idCard, claims: [{ path: ['given_name'] }] }] };
    const claims = { '/given_name': 'presentation:/given_name' };
    const scope = await publishedTemplate(service.url, { presentation, claims });
    const pushed = await pushRequest(service.url, { redirect_uri: redirectUri, scope });
    const visited = await visit(browser(), pushed.page);
    const { page, complaints } = visited;
    await page.getByRole('heading', { name: 'Please show who you are' }).waitFor();
    expect(await faultsInEveryLook(visited, 'authorize presentation')).toEqual({});
    const link = await page.getByRole('link', { name: 'Open the wallet on this device' }).getAttribute('href');
    const received = await receiveRequest({ url: service.url, state: '', answer: { variants: { '1.0': link } } });
    const reply = await respond(received, { tokens: tokensFor(erika, received, ['id_card']) });
    await page.goto(String(answered(200, reply)['redirect_uri']));
    await page.getByText('Erika').waitFor();
    await tabTo(page, 'approve');
    await pressed(page, 'Enter');
    expect(await cameBack(page)).toHaveProperty('code');
    expect(complaints).toEqual([]);
    await visited.close();
  });

  it('a person can refuse with the keyboard alone, in their language and without scripts', async () => {
    const pushed = await push();
    const visited = await visit(browser(), pushed.page, { language: 'fr', script: false });
    const { page } = visited;
    await tabTo(page, 'username');
    await page.keyboard.type('ada');
    await tabTo(page, 'login');
    await pressed(page, 'Space');
    await page.getByRole('heading', { name: 'Voulez-vous l’avoir dans votre portefeuille ?' }).waitFor();
    await tabTo(page, 'reject');
    await pressed(page, 'Space');
    expect(await cameBack(page)).toMatchObject({ kept: '1', error: 'access_denied', state: pushed.state });
    await visited.close();
  });
});
