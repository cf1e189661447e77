import { existsSync, readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { areas } from '../../apps/console/src/area-names';
import { describeInBrowser } from '../support/browser/chromium';
import { Office } from '../support/browser/office';
import { pictureOf } from '../support/browser/picture';
import { faultsInEveryLook, visit, type Visit } from '../support/browser/visit';

let office: Office;
let filled: Awaited<ReturnType<Office['fill']>>;
beforeAll(async () => {
  office = await Office.open();
  filled = await office.fill();
});
afterAll(() => office.close());

/** Each page of the console: its address, and a text that it has once its data are there. */
const pages: Readonly<Record<string, () => readonly [address: string, text: string | RegExp]>> = {
  start: () => ['start', 'Diploma'],
  credential: () => [`credentials/${filled.credentialId}`, 'The person has it in a wallet.'],
  templates: () => ['templates', 'Student card'],
  template: () => ['templates/diploma', 'Published'],
  'new-template': () => ['new-template', 'Create the template'],
  'change-template': () => ['change-template/diploma', 'Save the changes'],
  issue: () => ['issue/diploma', 'Create credential and offer'],
  offers: () => ['offers', 'Taken'],
  offer: () => ['offers/max', 'Send by e-mail'],
  imports: () => ['imports', 'Waiting for its start'],
  'new-import': () => ['new-import', 'File to begin with'],
  import: () => [`imports/${filled.importId}`, 'Row 3'],
  authorizations: () => ['authorizations', 'redeemed'],
  authorization: () => [`authorizations/${filled.authorizationId}`, 'Issued'],
  requests: () => ['requests', 'verified'],
  request: () => [`requests/${filled.state}`, 'verified'],
  'new-request': () => ['new-request', 'Ask for an ID Token'],
  approvals: () => ['approvals', /^Revoke a credential/],
  approval: () => [`approvals/${filled.approvalId}`, 'waits for a decision'],
  statistics: () => ['statistics', 'Student card'],
  administration: () => ['administration', 'Health and certificates'],
  standing: () => ['standing', 'Certificates in use'],
  'api-keys': () => ['api-keys', 'Student portal'],
  webhooks: () => ['webhooks', 'Student portal'],
  webhook: () => [`webhooks/${filled.webhookId}`, /^credential.accepted/],
  'new-webhook': () => ['new-webhook', 'Make the webhook'],
  'change-webhook': () => [`change-webhook/${filled.webhookId}`, 'Save the changes'],
  tenants: () => ['tenants', 'Music school'],
  tenant: () => ['tenants/music', 'What it has'],
  'new-tenant': () => ['new-tenant', 'Create the tenant'],
  audit: () => ['audit', 'templates.create'],
  registration: () => ['registration', /^There is no registration certificate/],
  configuration: () => ['configuration', 'SERVICE__APPLICATION_URL'],
};

/** Where pictures for the guide are kept: docs/console. */
const folder = process.env['SERVICE_TEST_PICTURES'];

describeInBrowser('every page of the console, on a day of work', (browser) => {
  let visited: Visit;
  let page: Page;
  beforeAll(async () => {
    office.provider.person = 'ada';
    visited = await visit(browser(), `${office.service.url}/console`);
    ({ page } = visited);
  });
  afterAll(() => visited.close());

  it('is among these', () => {
    // `credentials` without one is the start.
    const visitedAreas = Object.values(pages).map((place) => place()[0].split('/', 1)[0]);
    expect([...new Set(visitedAreas)].sort()).toEqual([...areas].sort());
  });

  it('can be used by everybody: sign-in', async () => {
    await page.getByRole('link', { name: 'Sign in with your organisation' }).waitFor();
    expect(await faultsInEveryLook(visited, 'page-sign-in', 'staff')).toEqual({});
    if (folder !== undefined) await pictureOf(page, `${folder}/sign-in.webp`);
    await page.getByRole('link', { name: 'Sign in with your organisation' }).click();
    await page.getByText('Ada Admin').waitFor();
  });

  it.each(Object.keys(pages))('can be used by everybody: %s', async (name) => {
    const [address, text] = pages[name]?.() ?? ['', ''];
    await page.goto(`${office.service.url}/console#/${address}`);
    await page
      .getByText(text, { exact: typeof text === 'string' })
      .filter({ visible: true })
      .first()
      .waitFor();
    await page.getByText('Loading…').first().waitFor({ state: 'detached' });
    expect(await page.getByRole('alert').filter({ hasText: /./ }).allInnerTexts()).toEqual([]);
    expect(await faultsInEveryLook(visited, `page-${name}`, 'staff')).toEqual({});
    if (folder !== undefined) await pictureOf(page, `${folder}/${name}.webp`);
  });
});

describe('the guide to the console', () => {
  it.each(['sign-in', ...Object.keys(pages)])('has a picture of each page, with words: %s', (name) => {
    expect(readFileSync('docs/console.md', 'utf8')).toMatch(
      new RegExp(`!\\[[^\\]]{20,}\\]\\(console/${name}\\.webp\\)`),
    );
    expect(existsSync(`docs/console/${name}.webp`)).toBe(true);
  });
});
