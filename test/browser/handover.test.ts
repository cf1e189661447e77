import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser/chromium';
import { faultsInEveryLook, visit, type Visit } from '../support/browser/visit';
import { type MailRelay, startMailRelay } from '../support/counterparts/mail-relay';
import { prepareOffer } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';

let service: RunningService;
let relay: MailRelay;
beforeAll(async () => {
  relay = await startMailRelay();
  service = await startService({
    SERVICE__MAIL__HOST: '127.0.0.1',
    SERVICE__MAIL__PORT: String(relay.port),
    SERVICE__MAIL__SECURITY: 'none',
    SERVICE__MAIL__FROM: 'credentials@town.example',
  });
});
afterAll(async () => {
  await service.stop();
  await relay.stop();
});

describeInBrowser('an offer that is handed over at the console', (browser) => {
  let visited: Visit;
  let page: Page;
  let offerId: string;
  beforeAll(async () => {
    ({ offerId } = await prepareOffer(service.url, undefined, { recipient: { name: 'Erika <b>', locale: 'de' } }));
    visited = await visit(browser(), `${service.url}/console#/offers/${offerId}`);
    ({ page } = visited);
  });
  afterAll(() => visited.close());

  const click = (name: string) => page.getByRole('button', { name, exact: true }).click();

  it('goes to the address that is entered there, and is sent', async () => {
    await page.getByText('Change the recipient', { exact: true }).click();
    const field = page.getByLabel('E-mail address');
    await field.fill('not an address');
    await click('Save the recipient');
    await page.getByText(/must be one e-mail address/).waitFor();
    await field.fill('erika@example.org');
    await click('Save the recipient');
    await click('Send by e-mail');
    await page.getByText('Sent', { exact: true }).waitFor();
    expect(relay.mails.map(({ envelope }) => envelope.to)).toEqual([['erika@example.org']]);
    expect(await faultsInEveryLook(visited, 'console-handover', 'staff')).toEqual({});
    await click('It came back: wrong address');
    await page.getByText('The address is wrong.').waitFor();
  });

  it('is printed as a letter in a window of its own, in its style', async () => {
    const [letter] = await Promise.all([page.waitForEvent('popup'), click('Print a letter')]);
    await letter.getByText('Guten Tag Erika <b>,').waitFor();
    const side = await letter.locator('svg').evaluate((code) => code.getBoundingClientRect().width);
    // CSS millimetres.
    expect(side / (96 / 25.4)).toBeCloseTo(50, 0);
    await letter.close();
  });

  it('is shown on a second screen', async () => {
    const [screen] = await Promise.all([page.waitForEvent('popup'), click('Show on a second screen')]);
    await screen.locator('main h1').waitFor();
    expect(await screen.locator('html').getAttribute('lang')).toBe('de');
    await screen.close();
  });
});
