import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser/chromium';
import { faultsInEveryLook, visit, type Visit } from '../support/browser/visit';
import { type RunningService, startService } from '../support/service/service';
import { type MailRelay, startMailRelay } from '../support/counterparts/mail-relay';
import { OrganisationProvider } from '../support/counterparts/organisation-provider';
import { ConsoleBrowser } from '../support/http/console-browser';
import { answered } from '../support/http/requests';
import { receive } from '../support/wallets/wallet';

let provider: OrganisationProvider;
let relay: MailRelay;
let service: RunningService;
beforeAll(async () => {
  provider = await OrganisationProvider.start({ consoleUrls: () => [service.url] });
  provider.people.set('registrar', { name: 'Rita Registrar', groups: ['clerk'] });
  provider.people.set('head', { name: 'Henry Head', groups: ['approver'] });
  provider.people.set('clerk', { name: 'Clara Clerk', groups: ['clerk'] });
  provider.people.set('admin', { name: 'Ada Admin', groups: ['administrator'] });
  relay = await startMailRelay();
  service = await startService({
    ...provider.settings,
    SERVICE__MANAGEMENT__API_KEYS: 'a-key-that-nobody-here-uses-but-must-be-set',
    SERVICE__MAIL__HOST: '127.0.0.1',
    SERVICE__MAIL__PORT: String(relay.port),
    SERVICE__MAIL__SECURITY: 'none',
    SERVICE__MAIL__FROM: 'credentials@town.example',
    SERVICE__MAIL__RATE_PER_MINUTE: '6000',
  });
  const admin = await ConsoleBrowser.of('admin', provider, service.url);
  const template = {
    templateId: 'diploma',
    title: 'Diploma',
    format: 'dc+sd-jwt',
    vct: 'https://credentials.example/diploma',
    schema: {
      type: 'object',
      properties: { given_name: { type: 'string', title: 'Given name' }, level: { type: 'integer', title: 'Level' } },
      required: ['given_name', 'level'],
    },
    revocable: true,
    fourEyes: { bulkOver: 50 },
  };
  answered(201, await admin.call('POST', '/v0/templates', template));
  answered(200, await admin.call('POST', '/v0/templates/diploma/publish', {}));
});
afterAll(async () => {
  await service.stop();
  await relay.stop();
  await provider.stop();
});

/** Milliseconds for what the service does by itself with some hundred rows. */
const work = 90_000;
const faultyRows = [7, 40, 77, 111, 150, 199, 222, 260, 301, 333, 366, 399];
const file = [
  'Given name,Level,Reference,Recipient,E-mail',
  ...Array.from({ length: 400 }, (_, index) => {
    const row = index + 2;
    const level = faultyRows.includes(row) ? 'three' : '3';
    return `Person ${row},${level},d-${row},Person ${row},p${row}@people.example`;
  }),
].join('\n');

describeInBrowser('the people of an office in the console', (browser) => {
  const visits: Visit[] = [];
  afterAll(() => Promise.all(visits.map((one) => one.close())));

  async function signedIn(person: string, name: string): Promise<Visit> {
    provider.person = person;
    const visited = await visit(browser(), `${service.url}/console`);
    visits.push(visited);
    visited.page.on('dialog', (dialog) => void dialog.accept());
    await click(visited.page, 'link', 'Sign in with your organisation');
    await see(visited.page, name);
    return visited;
  }
  const click = (page: Page, role: 'button' | 'link', name: string) =>
    page.getByRole(role, { name, exact: true }).first().click();
  const see = (page: Page, text: string, timeout = 60_000) =>
    page.getByText(text, { exact: true }).first().waitFor({ timeout });
  const go = (page: Page, name: string) =>
    page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
  const mailTo = (address: string) => relay.mails.filter(({ envelope }) => envelope.to.includes(address));

  async function find(page: Page, reference: string): Promise<void> {
    await go(page, 'Start');
    await page.getByLabel('Find by reference').last().fill(reference);
    await click(page, 'button', 'Find');
    await page.getByRole('table', { name: 'found' }).getByRole('link', { name: 'Diploma' }).click();
    await page.getByRole('heading', { name: reference, level: 1 }).waitFor();
  }

  /** No page shows what only machines read. */
  async function expectNoJson(page: Page): Promise<void> {
    expect(await page.locator('main').innerText()).not.toMatch(/[{[]\s*"/);
  }

  it('import 400 rows, agree on them, hand over and revoke', async () => {
    const registrar = await signedIn('registrar', 'Rita Registrar');
    const { page } = registrar;
    await go(page, 'Many at once');
    await click(page, 'link', 'Send a file');
    const upload = { name: 'graduates.csv', mimeType: 'text/csv', buffer: Buffer.from(file) };
    await page.getByLabel('File (.xlsx or .csv)').setInputFiles(upload);
    await click(page, 'button', 'Send a file');
    await see(page, 'Waiting for its start');
    await page.locator('form[id^="row-"]').nth(11).waitFor();
    expect(await page.locator('form[id^="row-"]').count()).toBe(12);
    await expectNoJson(page);
    for (const row of faultyRows.slice(0, 9)) {
      const form = page.locator(`#row-${row}`);
      await form.getByLabel('Level').fill('3');
      await form.getByRole('button', { name: 'Check this row' }).click();
      await form.waitFor({ state: 'detached' });
    }
    await page.getByRole('row', { name: 'ready 397' }).waitFor();
    expect(await faultsInEveryLook(registrar, 'registrar-checked', 'staff')).toEqual({});
    await click(page, 'button', 'Offer the rows that are ready');
    await page.getByText('Nothing is done yet: somebody else has to approve it.').waitFor();

    const { page: ofHead } = await signedIn('head', 'Henry Head');
    await go(ofHead, 'Approvals');
    await ofHead.getByRole('link', { name: 'Start an import: Diploma' }).click();
    await see(ofHead, 'Rita Registrar');
    await click(ofHead, 'button', 'Approve');
    await see(ofHead, 'approved');
    await expectNoJson(ofHead);

    await see(page, 'Done', work);
    await page.getByRole('row', { name: 'offered 397' }).waitFor();

    await click(page, 'button', 'Send all e-mails');
    await see(page, 'E-mails: 0 queued, 397 sent, 0 failed or came back.', work);
    expect(new Set(relay.mails.map(({ envelope }) => envelope.to[0])).size).toBe(397);
    expect(await faultsInEveryLook(registrar, 'registrar-mailed', 'staff')).toEqual({});
    const ofImport = page.url();

    await find(page, 'd-2');
    await click(page, 'link', 'Hand over');
    await see(page, 'Sent');
    expect(mailTo('p2@people.example')).toHaveLength(1);
    const link = await page.getByRole('link', { name: 'Open in a wallet here' }).getAttribute('href');
    await receive(link ?? '');
    await see(page, 'Taken');

    await page.goto(ofImport);
    await page.getByRole('row', { name: 'Not taken yet 396' }).waitFor();
    await page.getByLabel('Show').selectOption({ label: 'Taken' });
    await page.getByRole('row', { name: 'd-2 Taken Sent' }).waitFor();
    await page.getByRole('row', { name: /^d-3 / }).waitFor({ state: 'detached' });
    expect(await page.getByRole('row', { name: /^d-/ }).count()).toBe(1);
    await page.getByLabel('Show').selectOption({ label: 'Not taken' });
    await page.getByRole('row', { name: 'd-3 Not taken yet Sent' }).waitFor();
    expect(await page.getByRole('row', { name: /^d-2 / }).count()).toBe(0);
    await click(page, 'button', 'Next rows');
    await page.getByRole('row', { name: /^d-3 / }).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /^d-150 / }).waitFor();
    await click(page, 'button', 'Previous rows');
    await page.getByRole('row', { name: /^d-3 / }).waitFor();

    await find(page, 'd-2');
    await page.getByText('The person has it in a wallet.').waitFor();
    await click(page, 'button', 'Revoke');
    await page.getByLabel('Reason', { exact: true }).selectOption({ label: 'It was issued by mistake' });
    await click(page, 'button', 'Yes, revoke');
    await see(page, 'Revoked');
    await expectNoJson(page);
  }, 300_000);

  it('serve one person in few clicks', async () => {
    const { page } = await signedIn('clerk', 'Clara Clerk');
    await page.evaluate(
      `window.clicks = 0; addEventListener('click', (event) => event.detail > 0 && window.clicks++, true)`,
    );
    const write = async (label: string, text: string): Promise<void> => {
      await page.getByLabel(label).first().click();
      await page.keyboard.type(text);
    };
    await click(page, 'link', 'Issue a credential');
    await click(page, 'link', 'Issue Diploma');
    await write('Given name', 'Erika');
    await write('Level', '3');
    await page.getByText('Hand over', { exact: true }).click();
    await write('E-mail address', 'erika@people.example');
    await click(page, 'button', 'Create credential and offer');
    await click(page, 'button', 'Send by e-mail');
    await see(page, 'Sent');
    expect(mailTo('erika@people.example')).toHaveLength(1);
    expect(await page.evaluate<number>('window.clicks')).toBe(8);
    await expectNoJson(page);
  });
});
