import { ApiKeys } from '@app/access';
import { scopes } from '@app/http';
import type { Page } from 'playwright-core';
import { answered, get, postJson } from '../support/http/requests';
import { describeInBrowser } from '../support/browser/chromium';
import { faultsInEveryLook, visit, type Visit } from '../support/browser/visit';
import { publishedTemplate, prepareOffer } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { receive } from '../support/wallets/wallet';

const service = serviceOfFile();

describeInBrowser('what two persons agree on, in the console', (browser) => {
  const visits: Visit[] = [];
  afterAll(() => Promise.all(visits.map((one) => one.close())));

  /** The console of somebody with a key of their own. */
  async function consoleOf(name: string): Promise<Visit> {
    const { text } = await service.app.get(ApiKeys).create({ name, scopes });
    const visited = await visit(browser(), `${service.url}/console#/approvals`);
    visits.push(visited);
    // In development a key is not asked for, but one that is wrong is refused: the page is told of it by an answer.
    await visited.page.route('**/v0/**', (route) =>
      route.continue({ headers: { ...route.request().headers(), 'x-api-key': text } }),
    );
    await visited.page.reload();
    return visited;
  }
  const see = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor();

  it('is asked for by one, and decided by the other, who says why', async () => {
    const templateId = await publishedTemplate(service.url, { revocable: true, fourEyes: { revoke: true } });
    const { link, credentialIds } = await prepareOffer(service.url, [templateId]);
    await receive(link, 'F');
    const [clerk, chief] = [await consoleOf('Clerk'), await consoleOf('Chief')];
    await see(chief.page, 'Nothing waits for a second person.');

    await clerk.page.goto(`${service.url}/console#/credentials/${credentialIds[0]}`);
    await clerk.page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await clerk.page.getByRole('button', { name: 'Yes, revoke' }).click();
    await clerk.page.getByText('Nothing is done yet: somebody else has to approve it.').waitFor();
    expect(await faultsInEveryLook(clerk, 'approval-asked', 'staff')).toEqual({});
    await clerk.page.getByRole('link', { name: 'See the approval' }).click();
    await see(clerk.page, 'waits for a decision');
    clerk.page.once('dialog', (dialog) => void dialog.accept());
    await clerk.page.getByRole('button', { name: 'Approve' }).click();
    await see(clerk.page, 'Approval By Requester');

    await chief.page.getByRole('link', { name: /^Revoke a credential: / }).click();
    await see(chief.page, 'clerk');
    await chief.page.getByLabel('Comment').fill('Checked with the registrar.');
    chief.page.once('dialog', (dialog) => void dialog.accept());
    await chief.page.getByLabel('Comment').press('Tab');
    await chief.page.keyboard.press('Enter');
    await see(chief.page, 'approved');

    await see(clerk.page, 'Checked with the registrar.');
    const credential = await get(`${service.url}/v0/credentials/${credentialIds[0]}`);
    expect(answered(200, credential)['validity']).toBe('Revoked');
    await chief.page.getByRole('navigation').getByRole('link', { name: 'Approvals' }).click();
    await see(chief.page, 'Nothing waits for a second person.');
  });

  it('says of a template that its publication waits', async () => {
    const template = { title: 'Diploma', format: 'dc+sd-jwt', schema: { type: 'object' }, fourEyes: { publish: true } };
    const { templateId } = answered(201, await postJson(`${service.url}/v0/templates`, template));
    const { page } = await consoleOf('Designer');
    await page.goto(`${service.url}/console#/templates/${String(templateId)}`);
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('Nothing is done yet: somebody else has to approve it.').waitFor();
    await page.getByRole('link', { name: 'See the approval' }).click();
    await page.getByRole('button', { name: 'Reject' }).click();
    await see(page, 'rejected');
  });
});
