import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { Wallet } from '../../examples/wallet';
import { AuthorizationRequests } from '../../libs/authorization/src/authorization-requests';
import { answered, get } from '../support/http/requests';
import { describeInBrowser } from '../support/browser/chromium';
import { faultsInEveryLook, visit, type Visit } from '../support/browser/visit';
import { type RunningService, startService } from '../support/service/service';
import { authorizedSession } from '../support/wallets/authorized';
import { requestCredential } from '../support/wallets/wallet';

const key = 'a-key-of-the-person-at-the-console';
let service: RunningService;
let folder: string;
let wallet: Wallet;
beforeAll(async () => {
  service = await startService({ SERVICE__MANAGEMENT__API_KEYS: key, SERVICE__MANAGEMENT__PORT: '0' });
  folder = await mkdtemp(join(tmpdir(), 'sealwright-console-'));
  wallet = new Wallet({ file: join(folder, 'wallet.json') });
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

const schema = {
  type: 'object',
  properties: {
    given_name: { type: 'string', title: 'Given name' },
    level: { type: 'integer' },
    born: { type: 'string', format: 'date' },
    courses: { type: 'array', items: { type: 'string' } },
    address: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
  required: ['given_name', 'level'],
};

async function linkIn(page: Page): Promise<string> {
  const link = await page.getByRole('link', { name: 'Open in a wallet here' }).getAttribute('href');
  return link ?? '';
}

describeInBrowser('the console in a browser', (browser) => {
  let visited: Visit;
  let page: Page;
  beforeAll(async () => {
    visited = await visit(browser(), `${service.managementUrl}/console`);
    ({ page } = visited);
  });
  afterAll(() => visited.close());

  const click = (role: 'button' | 'link', name: string) => page.getByRole(role, { name, exact: true }).click();
  const see = (text: string) => page.getByText(text, { exact: true }).first().waitFor();
  const faults = (name: string) => faultsInEveryLook(visited, `console-${name}`, 'staff');

  it('asks for an API key, and keeps it in its memory only', async () => {
    await page.getByRole('heading', { name: 'API key' }).waitFor();
    expect(await faults('key')).toEqual({});
    const field = page.getByLabel('API key or access token');
    await field.fill('not-the-key-at-all');
    await field.press('Enter');
    await page.getByRole('alert').waitFor();
    await field.fill(key);
    await field.press('Enter');
    await see('Nobody waits for data.');
    await click('link', 'Templates');
    await see('There is no template yet. A template describes a kind of credential and its claims.');
    const kept = await page.evaluate<string>(
      'JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }, location.href])',
    );
    expect(kept).not.toContain(key);
  });

  it('speaks the language that the person chooses, from right to left too, and remembers it', async () => {
    const html = page.locator('html');
    const choose = (name: string) => page.getByRole('combobox').first().selectOption({ label: name });
    await choose('العربية');
    await page.getByRole('link', { name: 'القوالب' }).waitFor();
    expect([await html.getAttribute('lang'), await html.getAttribute('dir')]).toEqual(['ar', 'rtl']);
    expect(await faults('arabic')).toEqual({});
    await choose('Deutsch');
    await page.getByRole('link', { name: 'Vorlagen' }).waitFor();
    expect(await page.title()).toBe('Vorlagen · Sealwright-Konsole');
    await page.reload();
    await page.getByRole('heading', { name: 'API-Schlüssel' }).waitFor();
    await page.getByRole('combobox').first().selectOption({ label: 'English' });
    await page.getByLabel('API key or access token').fill(key);
    await click('button', 'Use this key');
    await page.getByRole('link', { name: 'Templates' }).waitFor();
    const loaded = visited.requested.filter((url) => url.includes('texts-')).map((url) => url.slice(-7, -5));
    expect(loaded).toEqual(['en', 'ar', 'de', 'de', 'en']);
  });

  it('creates a template', async () => {
    await click('link', 'New template');
    await page.getByLabel('Title').fill('Diploma');
    await page.getByLabel('Id optional').fill('diploma');
    await page.getByLabel('Write the claims as JSON Schema').check();
    await page.getByLabel('JSON Schema of the claims').fill(JSON.stringify(schema, null, 2));
    expect(await faults('new-template')).toEqual({});
    await click('button', 'Create the template');
    await page.getByRole('heading', { name: 'Diploma' }).waitFor();
    await see('Published');
  });

  it('changes a template', async () => {
    await click('link', 'Change');
    await page.getByLabel('Validity period').fill('P2Y');
    await click('button', 'Save the changes');
    await see('2 years');
    const template = await get(`${service.managementUrl}/v0/templates/diploma`, { 'x-api-key': key });
    expect(template.json).toMatchObject({ title: 'Diploma', vct: `${service.url}/vct/diploma/1`, expiration: 'P2Y' });
  });

  it('makes a form of its schema, and shows beside each control what the service rejects', async () => {
    await click('link', 'Issue Diploma');
    const level = page.getByLabel('Level level');
    await level.fill('three');
    await page.getByLabel('Born').fill('1985-04-12');
    await click('button', 'Add to Courses');
    await page.getByRole('textbox', { name: 'Entry 1' }).fill('Optics');
    await click('button', 'Create credential and offer');
    await see('must be a whole number');
    await level.fill('3');
    await click('button', 'Create credential and offer');
    await page.getByRole('alert').filter({ hasText: /./ }).waitFor();
    expect(await page.getByLabel('Given name').getAttribute('aria-invalid')).toBe('true');
    expect(await faults('issue')).toEqual({});
  });

  it('shows the offer, and what a wallet does with it as it happens', async () => {
    await page.getByLabel('Given name').fill('Erika');
    await page.getByText('Options of the offer').click();
    await page.getByLabel('The person needs a transaction code').check();
    await click('button', 'Create credential and offer');
    await page.getByRole('img', { name: 'QR code of the offer' }).waitFor();
    const link = await linkIn(page);
    await expect(wallet.receive(link, { txCode: 'no' })).rejects.toThrow(
      'The transaction code is wrong. 4 tries are left.',
    );
    await see('The transaction code was wrong. Compare the code that you gave to the person.');
    await page.getByLabel('Technical details').check();
    await see('token · invalid_grant · transaction-code-wrong');
    const [, txCode = ''] = /transaction code\s+(\d+)/.exec(await page.getByRole('main').innerText()) ?? [];
    await wallet.receive(link, { txCode });
    await see('In the wallet');
    await see('Taken by a wallet');
    await page.getByRole('img', { name: 'QR code of the offer' }).waitFor({ state: 'detached' });
    const [received] = await wallet.credentials();
    expect(JSON.stringify(received)).toContain('Erika');
  });

  it('asks for claims of a template, and shows the result with its checks', async () => {
    await click('link', 'Requests');
    await click('link', 'New request');
    await page.getByLabel('Diploma', { exact: true }).check();
    await page.getByLabel('Level', { exact: true }).uncheck();
    await page.getByText('Technical details').click();
    expect(JSON.parse(await page.getByLabel('DCQL query').inputValue())).toMatchObject({
      credentials: [{ id: 'diploma', claims: expect.not.arrayContaining([{ path: ['level'] }]) }],
    });
    expect(await faults('new-request')).toEqual({});
    for (const claim of ['Born', 'Courses', 'Address, City']) await page.getByLabel(claim, { exact: true }).uncheck();
    await page.getByLabel('Purpose').fill('To give you the student price.');
    await click('button', 'Create the request');
    await page.getByRole('img', { name: 'QR code of the request, for wallets of 1.0' }).waitFor();
    await wallet.present(await linkIn(page));
    await see('verified');
    await see('Erika');
    await page.getByRole('heading', { name: 'Diploma' }).waitFor();
    await see('Given name');
    expect(await page.getByRole('main').innerText()).not.toMatch(/vp_token|direct_post|key-binding|given_name/);
    await page.getByLabel('Technical details').check();
    await see('key-binding');
  });

  it('shows what wallets ask for by authorization code, and revokes it', async () => {
    const { requestUri } = await service.app.get(AuthorizationRequests).push({
      client: { clientId: 'https://wallet.example/\u202emoc', method: 'none', uses: [] },
      redirectUri: 'https://wallet.example/callback',
      codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      configurationIds: ['diploma'],
      identifiersGiven: false,
      uses: [],
    });
    expect(requestUri).not.toBe('');
    await click('link', 'Authorizations');
    await see('requested');
    await page.getByRole('link', { name: 'https://wallet.example/\ufffdmoc' }).click();
    await page.getByLabel('Technical details').check();
    await see('https://wallet.example/\ufffdmoc asks for diploma.');
    page.once('dialog', (dialog) => void dialog.accept());
    await click('button', 'Revoke');
    await see('By the management API.');
    await page.getByRole('button', { name: 'Revoke' }).waitFor({ state: 'detached' });
  });

  it('shows what the wallet of an authorization got', async () => {
    const person = { source: 'development', claims: { given_name: 'Erika', level: 3 } } as const;
    const session = await authorizedSession(service, ['diploma'], person);
    answered(200, await requestCredential(session));
    await page.goto(`${service.managementUrl}/console#/authorizations/${session.authorizationId}`);
    const credentials = page.getByRole('region', { name: 'Credentials' });
    await credentials.getByText('Issued', { exact: true }).waitFor();
    await credentials.getByText('Diploma', { exact: true }).waitFor();
  });

  it('offers a credential to everyone, says how many have accepted, and takes the offer offline', async () => {
    await page.goto(`${service.managementUrl}/console#/issue/diploma`);
    await page.getByText('Options of the offer').click();
    await page.getByLabel('For everyone, for 90 days: the data come when somebody agrees').check();
    expect(await faults('issue-for-everyone')).toEqual({});
    await click('button', 'Create the offer');
    await see('Everyone who accepts the offer has their own.');
    await see('any number of people');
    await page.getByText('Technical details').first().click();
    await see('accepted by');
    await click('button', 'Take offline');
    await see('Offline');
    await page.getByRole('button', { name: 'Take online' }).waitFor();
  });

  it('lists templates, offers, authorizations, requests and settings, by the keyboard alone', async () => {
    for (const [name, text] of [
      ['Templates', 'Diploma'],
      ['Offers', 'Taken'],
      ['Authorizations', 'revoked'],
      ['Requests', 'verified'],
      ['Statistics', 'Credentials by week'],
      ['Administration', 'With them portals call the service.'],
      ['Registration', 'There is no registration certificate: nothing is compared with what is registered.'],
      ['Administration', 'With them portals call the service.'],
      ['Settings', 'SERVICE__APPLICATION_URL'],
    ] as const) {
      await page.getByRole('link', { name, exact: true }).focus();
      await page.keyboard.press('Enter');
      await see(text);
      await page.locator('main:focus').waitFor();
    }
  });

  it('shows what is registered, until when, and which templates are not', async () => {
    const certificate = {
      certificateId: 'library.jwt',
      source: 'file',
      state: 'valid',
      name: 'Example library',
      expiresAt: '2027-10-31T00:00:00.000Z',
      credentials: [
        { format: 'dc+sd-jwt', types: [['urn:eudi:pid:1']], claims: [{ path: ['address', 'locality'] }] },
        { format: 'mso_mdoc', types: [] },
      ],
    };
    const torn = { found: 'no registration certificate', remedy: 'give the JWT of the registrar as it is' };
    const refused = { certificateId: 'torn.jwt', source: 'file', state: 'refused', fault: torn };
    const named = { display: [{ name: 'Diploma' }] };
    const configuration = { id: 'diploma', templateId: 'diploma', format: 'dc+sd-jwt', registered: false, ...named };
    const paged = (...items: object[]) => ({ json: { items, nextCursor: null } });
    await page.route('**/v0/registration_certificates', (route) => route.fulfill(paged(certificate, refused)));
    await page.route('**/v0/credential_configurations', (route) => route.fulfill(paged(configuration)));
    await page.route('**/v0/credential_configurations/diploma', (route) => route.fulfill({ json: configuration }));
    await page.goto(`${service.managementUrl}/console#/registration`);
    const shown = page.getByRole('region', { name: 'Example library' });
    await shown.getByText('dc+sd-jwt urn:eudi:pid:1: address/locality, mso_mdoc any type: all claims').waitFor();
    expect(await shown.locator('time').getAttribute('dateTime')).toBe('2027-10-31T00:00:00.000Z');
    await see('no registration certificate: give the JWT of the registrar as it is');
    expect(await faults('registration')).toEqual({});
    await click('link', 'Diploma');
    await page.getByText('of the issuer does not list this type').waitFor();
    expect(await faults('template-not-registered')).toEqual({});
    await page.unrouteAll();
  });

  it('says what is wrong with an address of a resource that does not exist', async () => {
    await page.goto(`${service.managementUrl}/console#/offers/nothing`);
    await see('There is no offer with the id nothing.');
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('The offer');
  });

  it('reads again what it could not read while the service was not there', async () => {
    await page.route('**/v0/templates/diploma', (route) => route.abort());
    await page.goto(`${service.managementUrl}/console#/templates/diploma`);
    await see('Is it running? The page tries again by itself.');
    await page.unroute('**/v0/templates/diploma');
    await page.getByRole('heading', { name: 'Diploma' }).waitFor();
    await page.getByText('Is it running?').waitFor({ state: 'detached' });
  });

  it('loads everything from the service, and sends everything to it', () => {
    // The browser itself reports each response that is an error, such as the 401 of the wrong key, and what was aborted.
    const reported = /responded with a status of 4\d\d|net::ERR_FAILED/;
    expect(visited.complaints.filter((text) => !reported.test(text))).toEqual([]);
    const origins = new Set(visited.requested.map((url) => new URL(url).origin));
    expect([...origins]).toEqual([service.managementUrl]);
  });
});
