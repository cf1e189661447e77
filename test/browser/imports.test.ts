import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser/chromium';
import { faultsInEveryLook, visit, type Visit } from '../support/browser/visit';
import { publishedTemplate } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
  const properties = { given_name: { type: 'string', title: 'Given name' }, level: { type: 'integer' } };
  await publishedTemplate(service.url, {
    templateId: 'diploma',
    schema: { type: 'object', properties, required: ['given_name', 'level'] },
  });
});
afterAll(() => service.stop());

describeInBrowser('many at once in the console', (browser) => {
  let visited: Visit;
  let page: Page;
  beforeAll(async () => {
    visited = await visit(browser(), `${service.url}/console`);
    ({ page } = visited);
    page.on('dialog', (dialog) => void dialog.accept());
  });
  afterAll(() => visited.close());

  const click = (role: 'button' | 'link', name: string) => page.getByRole(role, { name, exact: true }).click();
  const see = (text: string) => page.getByText(text, { exact: true }).first().waitFor();
  const faults = (name: string) => faultsInEveryLook(visited, `console-${name}`, 'staff');

  it('is sent, corrected, matched and offered without a word of JSON', async () => {
    await click('link', 'Many at once');
    await see('No file has been sent yet.');
    await click('link', 'Send a file');
    const buffer = Buffer.from('Given name;Stufe;Reference\nErika;1;b-1\nMax;<b>{{link}}</b>;b-2\n');
    await page.getByLabel('File (.xlsx or .csv)').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer });
    await click('button', 'Send a file');
    await see('Waiting for its start');
    // Nobody can know what this column is.
    await page.getByLabel('Stufe', { exact: true }).first().selectOption({ label: 'level (required)' });
    await click('button', 'Check the rows again');
    await page.getByLabel('Stufe', { exact: true }).nth(1).waitFor();
    expect(await faults('import-checked')).toEqual({});
    expect(await page.locator('#row-3').getByLabel('Stufe').inputValue()).toBe('<b>{{link}}</b>');
    await page.locator('#row-3').getByLabel('Stufe').fill('2');
    await click('button', 'Check this row');
    await page.locator('#row-3').waitFor({ state: 'detached' });
    await click('button', 'Offer the rows that are ready');
    await see('Done');
    expect(await faults('import-done')).toEqual({});
    const [letters] = await Promise.all([page.waitForEvent('popup'), click('button', 'Print letters, 200 at most')]);
    await letters.locator('svg').nth(1).waitFor();
    expect(await letters.locator('svg').count()).toBe(2);
    await letters.close();
    await page.getByRole('row', { name: /^b-2 Not taken yet Sent/ }).waitFor();
    await click('button', 'Print letters, 200 at most');
    await see('Each open offer has a letter or an e-mail already.');
    expect(await faults('import-printed')).toEqual({});
    const download = page.waitForEvent('download');
    await click('button', 'Download the result');
    expect((await download).suggestedFilename()).toMatch(/\.csv$/);
  });
});
