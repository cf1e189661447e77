import { answered, get, type Json } from '../support/http/requests';
import { describeInBrowser } from '../support/browser/chromium';
import { faultsInEveryLook, visit, type Visit } from '../support/browser/visit';
import { png } from '../support/portal/pictures';
import { serviceOfFile } from '../support/service/service-of-file';

const service = serviceOfFile();
const template = async (): Promise<Json> => answered(200, await get(`${service.url}/v0/templates/card`));

describeInBrowser('the form of a template', (browser) => {
  let visited: Visit;
  beforeAll(async () => {
    visited = await visit(browser(), `${service.url}/console#/new-template`);
  });
  afterAll(() => visited.close());
  const page = () => visited.page;
  const click = (name: string) => page().getByRole('button', { name, exact: true }).click();
  const see = (text: string) => page().getByText(text, { exact: true }).first().waitFor();
  const upload = (label: string, buffer: Buffer) =>
    page().getByLabel(label).setInputFiles({ name: 'picture.png', mimeType: 'image/png', buffer });
  const field = (name: string) => page().getByRole('group', { name, exact: true });

  it('makes a schema, labels in languages and a card of what is written, without JSON', async () => {
    await page().getByLabel('Title').fill('Library card');
    await page().getByLabel('Id optional').fill('card');
    await click('Remove Awarded on');
    await field('Degree').getByLabel('Label', { exact: true }).fill('Reader number');
    await field('Reader number').getByText('Name and languages').click();
    await field('Reader number').getByLabel('Name in the credential').fill('reader_number');
    await field('Reader number').getByLabel('Label in Deutsch').fill('Lesernummer');
    await field('Reader number').getByLabel('Example').fill('4711');
    await click('Add a field');
    await field('New field').getByLabel('Label', { exact: true }).fill('Größe');
    await field('Größe').getByLabel('Kind').selectOption({ label: 'Choice' });
    await field('Größe').getByLabel('What can be chosen, one on each line').fill('S\nM');
    await page().getByRole('button', { name: 'Move Größe up' }).focus();
    await page().keyboard.press('Enter');

    await page().getByLabel('Background colour optional').fill('#777777');
    await page().getByLabel('Colour of the text optional').fill('#ffffff');
    await page().getByText('The text is hard to read on this colour: its contrast is 4.4').waitFor();
    await page().getByLabel('Background colour optional').fill('#12107c');
    await page().getByText('The text is hard to read').waitFor({ state: 'detached' });
    await upload('Upload the logo', Buffer.from('<svg><script>alert(1)</script></svg>'));
    await page().getByText('can carry scripts').waitFor();
    await upload('Upload the logo', png(40, 40));
    await page().locator('img.face-logo').first().waitFor();
    expect(await page().getByLabel('Address of the logo').inputValue()).toMatch(/\/images\/[0-9a-f]{64}\.png$/);
    await upload('Upload a background image', png(32, 20, [255, 255, 0]));
    await page().getByText('on parts of the image: its contrast is 1 there').waitFor();
    await upload('Upload a background image', png(32, 20));
    await page().getByText('on parts of the image').waitFor({ state: 'detached' });
    // The contrast on it is not known to axe.
    await page().getByLabel('Address of a background image').fill('');
    await page().getByText('Name and description in languages').click();
    await field('Deutsch').getByLabel('Name').fill('Bibliotheksausweis');
    const faces = page().getByRole('figure');
    expect(await faces.count()).toBe(3);
    expect(await faces.first().innerText()).toContain('4711');
    const box = await faces.first().locator('.face').boundingBox();
    expect((box?.width ?? 0) / (box?.height ?? 1)).toBeCloseTo(1.586, 1);
    expect(await faultsInEveryLook(visited, 'template-builder', 'staff')).toEqual({});

    await click('Create the template');
    await page().getByRole('heading', { name: 'Library card' }).waitFor();
    expect(await template()).toMatchObject({
      status: 'Published',
      schema: {
        type: 'object',
        properties: {
          given_name: { type: 'string', title: 'Given name' },
          grosse: { type: 'string', enum: ['S', 'M'], title: 'Größe' },
          reader_number: { type: 'string', title: 'Reader number', examples: ['4711'] },
        },
        required: ['given_name', 'reader_number'],
      },
      claimLabels: { '/reader_number': { de: 'Lesernummer' } },
      display: [
        {
          name: 'Bibliotheksausweis',
          locale: 'de',
          logo: { uri: expect.stringContaining(`${service.url}/images/`) as unknown },
          background_color: '#12107c',
          text_color: '#ffffff',
        },
      ],
    });
    expect(Object.keys((((await template())['schema'] as Json)['properties'] as Json) ?? {})).toEqual([
      'given_name',
      'grosse',
      'reader_number',
    ]);
  });

  it('says in words what a change changes, before it is saved', async () => {
    await page().getByRole('link', { name: 'Change', exact: true }).click();
    await field('Größe').getByLabel('Must be given').check();
    await click('Remove Reader number');
    await page().getByLabel('Title').fill('Reader card');
    for (const words of [
      'The title: Library card becomes Reader card.',
      'Größe must be given from now on.',
      'Reader number is gone.',
      'Labels in languages are others.',
    ])
      await see(words);
    await page().getByLabel('Revoking a credential').check();
    await see('What a second person approves is different.');
    expect(await faultsInEveryLook(visited, 'template-change', 'staff')).toEqual({});
    await click('Save the changes');
    await page().getByRole('heading', { name: 'Reader card' }).waitFor();
    expect(await template()).toMatchObject({
      fourEyes: { revoke: true },
      schema: { required: ['given_name', 'grosse'] },
    });
    expect(await template()).not.toHaveProperty('claimLabels');
  });

  it('leads to the approval where somebody else has to agree to the change', async () => {
    await page().getByRole('link', { name: 'Change', exact: true }).click();
    await page().getByLabel('Revoking a credential').uncheck();
    await click('Save the changes');
    await see('waits for a decision');
    expect(await template()).toMatchObject({ fourEyes: { revoke: true } });
  });

  it('refuses two fields of one name', async () => {
    await page().goto(`${service.url}/console#/new-template`);
    await field('Degree').getByLabel('Label', { exact: true }).fill('Given name');
    await field('Given name').nth(1).getByText('Name and languages').click();
    await field('Given name').nth(1).getByLabel('Name in the credential').fill('given_name');
    await see('Give it a label or a name that no other field has.');
    await page().getByLabel('Title').fill('Twice');
    await click('Create the template');
    await see('Give it a label or a name that no other field has.');
    const { items } = answered(200, await get(`${service.url}/v0/templates`));
    expect((items as Json[]).map(({ title }) => title)).not.toContain('Twice');
  });

  it('shows on a card just what is written, however strange and long', async () => {
    await page().goto(`${service.url}/console#/new-template`);
    await page().reload();
    await page().getByLabel('Title').fill('<b>{{link}}</b>');
    await field('Degree').getByLabel('Label', { exact: true }).fill('{{name}}<i>');
    await field('{{name}}<i>').getByText('Name and languages').click();
    await field('{{name}}<i>').getByLabel('Example').fill('E'.repeat(300));
    const face = page().getByRole('figure').first().locator('.face');
    const seen = () => face.innerText();
    for (const words of ['<b>{{link}}</b>', '{{name}}<i>', 'E'.repeat(300)]) expect(await seen()).toContain(words);
    const box = await face.boundingBox();
    expect((box?.width ?? 0) / (box?.height ?? 1)).toBeCloseTo(1.586, 1);
    expect(await face.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    // Nobody reads it backwards.
    await page().getByLabel('Title').fill('knaB\u202eecalevol');
    await face.getByText('knaB\ufffdecalevol').waitFor();
    await click('Create the template');
    await page()
      .getByText(/is not visible|U\+202E/)
      .first()
      .waitFor();
    expect(answered(200, await get(`${service.url}/v0/templates`))['items']).not.toContainEqual(
      expect.objectContaining({ title: expect.stringContaining('knaB') as unknown }),
    );
  });
});
