import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { Wallet } from '../../examples/wallet';
import { describeInBrowser } from '../support/browser/chromium';
import { faultsInEveryLook, visit, type Visit } from '../support/browser/visit';
import { answered, get, postJson } from '../support/http/requests';
import { type RunningService, startService } from '../support/service/service';

const key = 'a-key-of-the-person-at-the-console';
const headers = { 'x-api-key': key };
const schema = {
  type: 'object',
  properties: { given_name: { type: 'string', title: 'Given name' }, level: { type: 'integer' } },
  required: ['given_name', 'level'],
};
let service: RunningService;
let folder: string;
let wallet: Wallet;
beforeAll(async () => {
  service = await startService({ SERVICE__MANAGEMENT__API_KEYS: key, SERVICE__MANAGEMENT__PORT: '0' });
  folder = await mkdtemp(join(tmpdir(), 'sealwright-console-'));
  wallet = new Wallet({ file: join(folder, 'wallet.json') });
  const kind = { templateId: 'membership', title: 'Membership', format: 'dc+sd-jwt', schema, expiration: 'P1Y' };
  const template = { ...kind, status: 'Published', revocable: true };
  answered(201, await postJson(`${service.managementUrl}/v0/templates`, template, headers));
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

describeInBrowser('the console of those who issue', (browser) => {
  let visited: Visit;
  let page: Page;
  beforeAll(async () => {
    visited = await visit(browser(), `${service.managementUrl}/console`);
    ({ page } = visited);
    await page.getByLabel('API key or access token').fill(key);
    await click('button', 'Use this key');
    await see('Nobody waits for data.');
  });
  afterAll(() => visited.close());

  const click = (role: 'button' | 'link', name: string) => page.getByRole(role, { name, exact: true }).click();
  const see = (text: string) => page.getByText(text, { exact: true }).first().waitFor();
  const faults = (name: string) => faultsInEveryLook(visited, `console-${name}`, 'staff');
  const linkIn = async () =>
    (await page.getByRole('link', { name: 'Open in a wallet here' }).getAttribute('href')) ?? '';

  it('warns of a reference that is in use, and finds what has it', async () => {
    for (const isFirst of [true, false]) {
      await page.goto(`${service.managementUrl}/console#/issue/membership`);
      await page.getByLabel('Given name').fill('Erika');
      await page.getByLabel('Level level').fill('3');
      await page.getByLabel('Reference').fill('2026/4711');
      await click('button', 'Create credential and offer');
      if (!isFirst) {
        await see('This reference was used already, for one credential:');
        expect(await faults('duplicate')).toEqual({});
        await click('button', 'Issue another one all the same');
      }
      await page.getByRole('img', { name: 'QR code of the offer' }).waitFor();
      await wallet.receive(await linkIn());
      await see('In the wallet');
      await page.goto(`${service.managementUrl}/console#/start`);
    }
    await see('Issued by you, the latest first');
    await page.getByRole('textbox', { name: 'Find by reference' }).fill('2026/4711');
    await click('button', 'Find');
    await see('2 credentials found');
    expect(await faults('found')).toEqual({});
  });

  it('revokes several credentials at once, after a review', async () => {
    const boxes = page.getByRole('checkbox');
    for (const box of await boxes.all()) await box.check();
    await click('button', 'Revoke the 2 that are chosen');
    await page.locator('h2:focus').waitFor();
    await click('button', 'Back');
    await boxes.first().uncheck();
    await click('button', 'Revoke the one that is chosen');
    await page.getByLabel('Reason').selectOption({ label: 'It was replaced by another one' });
    expect(await faults('review')).toEqual({});
    await click('button', 'Yes, revoke');
    await see('One credential has been revoked.');
    await see('Revoked');
  });

  it('shows the whole life of a credential, and what can be done now', async () => {
    const found = page.getByRole('region', { name: 'Find by reference' });
    await found.getByRole('row', { name: /In the wallet Revoked/ }).waitFor();
    await found.getByRole('row').filter({ hasNotText: 'Revoked' }).getByRole('link').click();
    await page.getByRole('heading', { name: '2026/4711', level: 1 }).waitFor();
    await see('The person has it in a wallet.');
    await see('Stored by the wallet');
    await click('button', 'Suspend');
    await page.getByLabel('In your words').fill('She has called.');
    await click('button', 'Yes, suspend');
    await see('It is suspended: not valid at present, until you make it valid again.');
    await click('button', 'Reinstate');
    await click('button', 'Yes, make it valid again');
    await see('The person has it in a wallet.');
    await click('button', 'Erase the personal data');
    await click('button', 'Yes, erase');
    await page.getByRole('heading', { name: 'Membership', level: 1 }).waitFor();
    expect(await page.getByText('Erika').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Erase the personal data' }).count()).toBe(0);
  });

  it('withdraws an offer that nobody has taken', async () => {
    const body = { offerId: 'untaken', templateId: 'membership' };
    const credential = { credentialSubject: { given_name: 'Max', level: 1 } };
    const made = await postJson(`${service.managementUrl}/v0/credentials`, { ...body, credential }, headers);
    const { credentialId } = answered(201, made);
    await page.goto(`${service.managementUrl}/console#/credentials/${String(credentialId)}`);
    await page.getByText('Ready. The person has not taken it yet and can do so until').waitFor();
    await page.getByRole('link', { name: 'Hand over' }).waitFor();
    await click('button', 'Withdraw the offer');
    expect(await faults('withdraw')).toEqual({});
    await click('button', 'Yes, withdraw');
    await see('The offer was withdrawn before anyone took it.');
    expect(await page.getByRole('link', { name: 'Hand over' }).count()).toBe(0);
  });

  it('counts by week what was created and what became of it', async () => {
    await click('link', 'Statistics');
    const row = page.getByRole('row').filter({ hasText: 'Membership' });
    await row.getByRole('rowheader').waitFor();
    expect(await row.getByRole('cell').allInnerTexts()).toEqual(['Membership', '3', '2', '1', '0', '1']);
  });

  it('makes an API key, shows it once, and revokes it', async () => {
    await click('link', 'Administration');
    await click('link', 'API keys');
    await page.getByText('New key').click();
    await page.getByLabel('Name').fill('Town hall portal');
    await page.getByLabel('Offers: see (offers:read)').check();
    await click('button', 'Make the key');
    await see('This is the key. It is shown this once: keep it where the portal reads it.');
    const made = await page.getByText(/^swk_/).innerText();
    expect(await faults('api-keys')).toEqual({});
    answered(200, await get(`${service.managementUrl}/v0/offers`, { 'x-api-key': made }));
    await page.reload();
    await page.getByLabel('API key or access token').fill(key);
    await click('button', 'Use this key');
    await click('button', 'Revoke Town hall portal');
    expect(await faults('api-key-review')).toEqual({});
    await click('button', 'Yes, revoke');
    await see('revoked');
    expect(await page.getByText(made).count()).toBe(0);
    const refused = await get(`${service.managementUrl}/v0/offers`, { 'x-api-key': made });
    expect(refused.status).toBe(401);
  });

  it('shows what works, and when certificates end', async () => {
    await page.goto(`${service.managementUrl}/console#/standing`);
    const database = page.getByRole('row').filter({ hasText: 'database' });
    await database.getByText('works', { exact: true }).waitFor();
    await page.getByRole('row').filter({ hasText: 'requests' }).locator('time').waitFor();
  });

  it('finds in the audit who did what', async () => {
    await page.goto(`${service.managementUrl}/console#/audit`);
    await page.getByLabel('What was done').fill('api_keys.revoke');
    await click('button', 'Find');
    await page.getByRole('cell', { name: 'templates.create' }).first().waitFor({ state: 'detached' });
    expect(await page.locator('tbody tr').count()).toBe(1);
  });

  it('shows what a webhook could not be sent, and sends it again', async () => {
    const receiver = { webhookId: 'w-1', url: 'https://portal.example/events', types: ['credential.issued'] };
    const webhook = { ...receiver, status: 'Enabled', formerSecretExpiresAt: null, createdAt: '2027-06-30T12:00:00Z' };
    const failed = { at: '2027-06-30T12:00:00Z', durationMs: 5000, failure: 'timeout' };
    const event = { eventId: '4711', type: 'credential.issued', subject: 'credentials/c-1', status: 'Dead' };
    const delivery = { ...event, scheduledAt: '2027-06-30T12:00:00Z', nextAttemptAt: null, attempts: [failed] };
    const sent: (string | null)[] = [];
    await page.route('**/v0/webhooks?*', (route) => route.fulfill({ json: { items: [webhook], nextCursor: null } }));
    await page.route('**/v0/webhooks/w-1', (route) => route.fulfill({ json: webhook }));
    await page.route('**/v0/webhooks/w-1/deliveries*', (route) =>
      route.fulfill({ json: { items: [delivery], nextCursor: null } }),
    );
    await page.route('**/v0/webhooks/w-1/replay', (route) => {
      sent.push(route.request().postData());
      return route.fulfill({ status: 202, body: '' });
    });
    await page.goto(`${service.managementUrl}/console#/webhooks`);
    await click('link', 'https://portal.example/events');
    await see('timeout');
    await see('not delivered');
    await click('button', 'Send again from here');
    await page.waitForFunction('true');
    expect(sent).toEqual(['{"fromEvent":"4711"}']);
    await page.unrouteAll();
  });
});
