import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser/chromium';
import { Keyboard } from '../support/browser/keyboard';
import { Office } from '../support/browser/office';
import { beyondTheScreen, visit, type Visit } from '../support/browser/visit';

let office: Office;
beforeAll(async () => {
  office = await Office.open();
  await office.fill();
});
afterAll(() => office.close());

const desktop = { width: 1280, height: 1024 };

/** How people without a mouse see the console. */
const ways = [
  { way: 'on a desktop', id: 'a', size: desktop },
  // WCAG 2.2, 1.4.10: what 400 % leaves of it.
  { way: 'at 400 %', id: 'b', size: { width: 320, height: 256 } },
  {
    way: 'in forced colours, without motion',
    id: 'c',
    size: desktop,
    media: { forcedColors: 'active', reducedMotion: 'reduce' },
  },
] as const;

describeInBrowser('the console by the keyboard alone', (browser) => {
  describe.each(ways)('$way', ({ id, size, ...seen }) => {
    let visited: Visit;
    let page: Page;
    let keyboard: Keyboard;
    beforeAll(async () => {
      office.provider.person = 'rita';
      const prepare = async (one: Page): Promise<void> => {
        await one.setViewportSize(size);
        if ('media' in seen) await one.emulateMedia(seen.media);
      };
      visited = await visit(browser(), `${office.service.url}/console`, { prepare });
      ({ page } = visited);
      page.on('dialog', (dialog) => void dialog.accept());
      keyboard = new Keyboard(page);
      await keyboard.press(link('Sign in with your organisation'));
      await page.getByText('Rita Registrar').waitFor();
    });
    afterAll(() => visited.close());

    const link = (name: string) => page.getByRole('link', { name, exact: true });
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const field = (name: string) => page.getByLabel(name);
    const see = (text: string) => page.getByText(text, { exact: true }).first().waitFor();
    const reference = `2026/${id}`;

    async function expectAllSeen(): Promise<void> {
      expect([...keyboard.faults]).toEqual([]);
      expect(await page.evaluate(beyondTheScreen)).toEqual([]);
    }

    it('issues one credential, and sends its offer', async () => {
      await keyboard.press(link('Issue a credential'));
      await keyboard.press(link('Issue Student card'));
      await keyboard.write(field('Given name'), 'Erika');
      await keyboard.write(field('Family name'), 'Mustermann');
      await keyboard.write(field('Reference'), reference);
      await keyboard.press(page.locator('summary', { hasText: 'Hand over' }), 'Space');
      await keyboard.write(field('E-mail address'), 'erika@people.example');
      await expectAllSeen();
      await keyboard.press(button('Create credential and offer'));
      await keyboard.press(button('Send by e-mail'));
      await see('Sent');
      await expectAllSeen();
      const offer = await link('Open in a wallet here').getAttribute('href');
      await office.wallet.receive(offer ?? '');
      await see('Taken');
    });

    it('imports many, and corrects what is wrong', async () => {
      await keyboard.press(link('Many at once'));
      await keyboard.press(link('Send a file'));
      await keyboard.choose(field('Template'), 'Student card');
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        keyboard.press(field('File (.xlsx or .csv)'), 'Space'),
      ]);
      const buffer = Buffer.from(
        `Given name,Surname,Reference\nAnna,Beispiel,${reference}1\nOtto,,${reference}2\nLea,Beispiel,${reference}3\n`,
      );
      await chooser.setFiles({ name: 'students.csv', mimeType: 'text/csv', buffer });
      await keyboard.press(button('Send a file'));
      await see('Waiting for its start');
      await keyboard.choose(field('Surname').first(), 'Family name (required)');
      await keyboard.press(button('Check the rows again'));
      // The rows as they were before are gone.
      await page.locator('#row-2').waitFor({ state: 'detached' });
      const row = page.locator('#row-3');
      await keyboard.write(row.getByLabel('Surname'), 'Beispiel');
      await expectAllSeen();
      await keyboard.press(row.getByRole('button', { name: 'Check this row' }));
      await row.waitFor({ state: 'detached' });
      await page.getByRole('row', { name: 'ready 3' }).waitFor();
      await keyboard.press(button('Offer the rows that are ready'));
      await see('Done');
      await page.getByRole('row', { name: 'offered 3' }).waitFor();
      await expectAllSeen();
    });

    it('revokes one with a reason', async () => {
      await keyboard.press(link('Start'));
      await keyboard.write(page.getByRole('textbox', { name: 'Find by reference' }), reference);
      await keyboard.press(button('Find'));
      await keyboard.press(page.getByRole('table', { name: 'found' }).getByRole('link'));
      await keyboard.press(button('Revoke'));
      await page.locator('h2:focus').waitFor();
      await keyboard.choose(field('Reason').first(), 'It was issued by mistake');
      await expectAllSeen();
      await keyboard.press(button('Yes, revoke'));
      await page.getByText('It has been revoked:').waitFor();
      await expectAllSeen();
    });
  });
});
