import { describeInBrowser } from '../support/browser/chromium';
import { faultsInEveryLook, visit, type Visit } from '../support/browser/visit';
import { answered, postJson } from '../support/http/requests';
import { type RunningService, startService } from '../support/service/service';

const key = 'a-key-of-the-operator-of-tenants';
const withKey = { 'x-api-key': key };
let service: RunningService;
beforeAll(async () => {
  service = await startService({ SERVICE__MANAGEMENT__API_KEYS: key, SERVICE__MANAGEMENT__CONSOLE: 'true' });
});
afterAll(() => service.stop());

describeInBrowser('tenants in the console', (browser) => {
  const visits: Visit[] = [];
  afterAll(() => Promise.all(visits.map((one) => one.close())));

  /** Opens a console with a key. */
  async function opened(url: string, apiKey: string, language = 'en'): Promise<Visit> {
    const visited = await visit(browser(), url, { language });
    visits.push(visited);
    await visited.page.locator('#api-key').fill(apiKey);
    await visited.page.locator('#api-key').press('Enter');
    return visited;
  }

  it('are not spoken of where there are none, or where somebody may not read them', async () => {
    const scopes = { name: 'reader', scopes: ['configuration:read'] };
    const { apiKey } = answered(200, await postJson(`${service.url}/v0/api_keys`, scopes, withKey));
    const look = async (used: unknown): Promise<string> => {
      const { page } = await opened(`${service.url}/console#/administration`, String(used));
      await page.getByRole('link', { name: 'Audit' }).waitFor();
      await page.waitForLoadState('networkidle');
      return page.getByRole('main').innerText();
    };
    expect(await look(key)).not.toContain('Tenants');
    answered(201, await postJson(`${service.url}/v0/tenants`, { tenantId: 'other', displayName: 'Other' }, withKey));
    expect(await look(apiKey)).not.toContain('Tenants');
    expect(await look(key)).toContain('Tenants');
  });

  it('are made, suspended, resumed, deleted and restored by their operator', async () => {
    const operator = await opened(`${service.url}/console#/administration`, key);
    const { page } = operator;
    const click = (role: 'button' | 'link', name: string) => page.getByRole(role, { name, exact: true }).click();
    const see = (words: string) => page.getByText(words, { exact: true }).first().waitFor();
    const faults = (name: string) => faultsInEveryLook(operator, `tenants-${name}`, 'staff');

    await click('link', 'Tenants');
    await page.getByRole('link', { name: 'Other' }).waitFor();
    await page.getByLabel('Find by name, id or address').fill('nobody');
    await see('0 tenants');
    await page.getByLabel('Find by name, id or address').fill('OTH');
    await see('1 tenant');
    await see('Offers: 0 · Credentials issued: 0 · In the last 30 days: 0');

    await click('link', 'New tenant');
    await page.getByLabel('Id', { exact: true }).fill('Music School');
    await page.getByLabel('Name', { exact: true }).fill('Music <School> & Co');
    await click('button', 'Create the tenant');
    await see('must be 2 to 39 characters of a-z 0-9 -, the first one a letter or digit');
    await page.getByLabel('Id', { exact: true }).fill('music');
    await click('button', 'Create the tenant');
    await see('This is an API key of the tenant. It is shown this once: hand it to those who run the tenant.');
    const apiKey = await page.locator('.review code').innerText();
    expect(await faults('created')).toEqual({});

    const link = await page.getByRole('link', { name: 'Open its console' }).getAttribute('href');
    const address = new URL(link ?? '', `${service.url}/console`).href;
    expect(address).toBe(`${service.url}/t/music/console`);
    const own = await opened(address, apiKey);
    await own.page.getByText('Nobody waits for data.').waitFor();
    await own.page.getByRole('link', { name: 'Music <School> & Co console' }).waitFor();
    expect(await own.page.title()).toBe('Start · Music <School> & Co');
    await own.page.goto(`${address}#/administration`);
    await own.page.getByRole('link', { name: 'Audit' }).waitFor();
    expect(await own.page.getByRole('main').innerText()).not.toContain('Tenants');

    await page.getByText('Change the limits').click();
    await page.getByLabel('Offers per minute').fill('many');
    await click('button', 'Save the limits');
    await see('must be a whole number from 1 to 1,000,000, or null');
    await page.getByLabel('Offers per minute').fill('1500');
    await click('button', 'Save the limits');
    await see('The limits are saved.');
    await see('1,500');

    await click('button', 'Suspend');
    await page.getByLabel('What stops').selectOption({ label: 'Everything: portals and wallets are refused, too' });
    await page.getByLabel('Reason').fill('Invoice 4711 is open');
    expect(await faults('suspend')).toEqual({});
    await click('button', 'Yes, suspend');
    await see('Suspended');
    await see('Invoice 4711 is open');
    await own.page.goto(`${address}#/offers`);
    await own.page
      .getByRole('alert')
      .getByText(/suspended/i)
      .first()
      .waitFor();

    await click('button', 'Resume');
    await see('Active');
    await own.page.goto(`${address}#/templates`);
    await own.page.getByText('There is no template yet.', { exact: false }).waitFor();

    await click('button', 'Delete');
    await see('It can be restored for 7 days.');
    await page.getByLabel('Write music to confirm').fill('other');
    await click('button', 'Yes, delete');
    await see('That is not its id.');
    expect(await faults('delete')).toEqual({});
    await page.getByLabel('Write music to confirm').fill('music');
    await click('button', 'Yes, delete');
    await see('Being deleted');
    await see('Can be restored until');
    expect(await faults('deleted')).toEqual({});

    await click('button', 'Restore');
    await see('Active');
    await page.getByText('New key', { exact: true }).click();
    await page.getByLabel('Name').fill('Second portal');
    await click('button', 'Make the key');
    await page.locator('.review code').nth(1).waitFor();
    expect(operator.complaints.filter((one) => !one.includes('status of 40'))).toEqual([]);
  });

  it('have a console in their colour, in every language', async () => {
    const made = { tenantId: 'green', displayName: 'Grün', settings: { issuer: { colour: '#0b5c3b' } } };
    const { apiKey } = answered(201, await postJson(`${service.url}/v0/tenants`, made, withKey));
    const own = await opened(`${service.url}/t/green/console`, String(apiKey));
    await own.page.getByRole('link', { name: 'Issue a credential' }).waitFor();
    const colour = `getComputedStyle(document.querySelector('.title .primary')).backgroundColor`;
    expect(await own.page.evaluate(colour)).toBe('rgb(11, 92, 59)');
    expect(await faultsInEveryLook(own, 'tenants-own-console', 'staff')).toEqual({});
    const arabic = await opened(`${service.url}/console#/tenants/green`, key, 'ar');
    await arabic.page.getByRole('heading', { name: 'Grün' }).waitFor();
    expect(await faultsInEveryLook(arabic, 'tenants-arabic', 'staff')).toEqual({});
  });
});
