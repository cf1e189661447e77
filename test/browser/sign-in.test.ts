import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser/chromium';
import { faultsInEveryLook, visit, type Visit } from '../support/browser/visit';
import { OrganisationProvider } from '../support/counterparts/organisation-provider';
import { ConsoleBrowser } from '../support/http/console-browser';
import { answered } from '../support/http/requests';
import { type RunningService, startService } from '../support/service/service';

let provider: OrganisationProvider;
let service: RunningService;
beforeAll(async () => {
  provider = await OrganisationProvider.start({ consoleUrls: () => [service.url] });
  provider.people.set('ada', { name: 'Ada Admin', groups: ['administrator'] });
  provider.people.set('nobody', { name: 'Nina Nobody' });
  service = await startService({
    ...provider.settings,
    SERVICE__MANAGEMENT__API_KEYS: 'a-key-that-nobody-here-uses-but-must-be-set',
  });
  const admin = await ConsoleBrowser.of('ada', provider, service.url);
  const properties = { given_name: { type: 'string', title: 'Given name' } };
  const schema = { type: 'object', properties, required: ['given_name'] };
  const template = {
    templateId: 'card',
    title: 'Card',
    format: 'dc+sd-jwt',
    vct: 'https://cards.example/card',
    schema,
  };
  answered(201, await admin.call('POST', '/v0/templates', template));
  answered(200, await admin.call('POST', '/v0/templates/card/publish', {}));
});
beforeEach(() => Object.assign(provider, { person: 'ada', isCancelling: false, loggedInAgo: 0 }));
afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const see = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();
const click = (page: Page, role: 'button' | 'link', name: string) =>
  page.getByRole(role, { name, exact: true }).first().click();
/** Nobody has done anything for so long. */
const idleFor = (minutes: number): Promise<unknown> =>
  service.app.get<SqlDriver>(SQL_DRIVER).query({
    name: 'test-idle',
    text: `update console_sessions set seen_at = now() - make_interval(secs => $1) where ended_at is null`,
    values: [minutes * 60],
  });
/** What the service has read of a session it believes for some seconds. A page that was just opened keeps no session alive. */
async function leave(page: Page, minutes: number, text: string | RegExp): Promise<void> {
  for (let attempt = 0; attempt < 30; attempt++) {
    await idleFor(minutes);
    await page.reload();
    const shown = page.getByText(text).first().waitFor({ timeout: 5_000 });
    const isShown = await shown.then(
      () => true,
      () => false,
    );
    if (isShown) return;
  }
  throw new Error(`Never seen: ${String(text)}`);
}

describeInBrowser('signing in to the console', (browser) => {
  let visited: Visit;
  let page: Page;
  beforeEach(async () => {
    visited = await visit(browser(), `${service.url}/console`);
    ({ page } = visited);
    page.on('dialog', (dialog) => void dialog.accept());
    await see(page, 'Sign in with the account of your organisation.');
  });
  afterEach(() => visited.close());
  const signIn = () => click(page, 'link', 'Sign in with your organisation');

  it('leads to the provider and back', async () => {
    await signIn();
    await see(page, 'Ada Admin');
    expect(page.url()).toMatch(new RegExp(`^${service.url}/console`));
    expect(await faultsInEveryLook(visited, 'console-signed-in', 'staff')).toEqual({});
    expect(await page.evaluate('document.cookie')).toBe('');
  });

  it('says why it did not work', async () => {
    provider.isCancelling = true;
    await signIn();
    await see(page, 'You did not sign in.');
  });

  it('tells who has no role whom to ask, and what to name', async () => {
    provider.person = 'nobody';
    await signIn();
    await see(page, /You are signed in as Nina Nobody, and have no role here\. Ask the administrator/);
    await see(page, `oauth:${provider.issuer}|nobody`);
  });

  it('asks to confirm before what cannot be undone, in a window of its own', async () => {
    provider.loggedInAgo = 3_600_000;
    await signIn();
    await click(page, 'link', 'Many at once');
    await click(page, 'link', 'Send a file');
    const buffer = Buffer.from('Given name,Reference\nErika,s-1\n');
    await page.getByLabel('File (.xlsx or .csv)').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer });
    await click(page, 'button', 'Send a file');
    await see(page, 'Waiting for its start');
    await click(page, 'button', 'Offer the rows that are ready');
    await see(page, 'This cannot be undone. Confirm in a new window that it is you');
    expect(await faultsInEveryLook(visited, 'console-proof-wanted', 'staff')).toEqual({});
    provider.loggedInAgo = 0;
    const opening = page.context().waitForEvent('page');
    await click(page, 'link', 'Confirm that it is you');
    const window = await opening;
    await see(window, 'You have confirmed that it is you.');
    await window.close();
    // The page is where it was, with all that was written in it.
    await page.getByRole('alert').getByRole('button', { name: 'Done', exact: true }).click();
    await click(page, 'button', 'Offer the rows that are ready');
    await page.getByRole('row', { name: 'offered 1' }).waitFor();
  });

  it('ends everywhere at once, also at the provider', async () => {
    await signIn();
    await see(page, 'Ada Admin');
    const other = new ConsoleBrowser(service.url);
    await other.signIn();
    expect(await other.whoAmI()).toMatchObject({ name: 'Ada Admin' });
    await click(page, 'button', 'Sign out everywhere');
    await click(page, 'button', 'Yes');
    await see(page, 'Sign in with the account of your organisation.');
    expect(page.url()).toMatch(new RegExp(`^${service.url}/console`));
    expect((await other.call('GET', '/v0/session')).status).toBe(401);
  });

  it('is warned of its end, and goes on for who wants to stay', async () => {
    await signIn();
    await see(page, 'Ada Admin');
    await leave(page, 28.5, /^Your session ends in (a minute|2 minutes)\./);
    expect(await faultsInEveryLook(visited, 'console-ends-soon', 'staff')).toEqual({});
    await click(page, 'button', 'Stay signed in');
    await page.getByText(/^Your session ends in/).waitFor({ state: 'detached' });
    await see(page, 'Ada Admin');
    await leave(page, 31, 'Sign in with the account of your organisation.');
  });
});
