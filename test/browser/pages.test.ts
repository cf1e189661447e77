import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeInBrowser } from '../support/browser/chromium';
import { faultsInEveryLook, visit } from '../support/browser/visit';
import { answered, get, postJson, send } from '../support/http/requests';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { offerUri, openSession, readOffer, redeem, requestCredential } from '../support/wallets/wallet';

const folder = mkdtempSync(join(tmpdir(), 'logo-'));
const logo = join(folder, 'logo.svg');
writeFileSync(
  logo,
  '<svg xmlns="http://www.w3.org/2000/svg" width="800" height="90"><rect width="800" height="90"/></svg>',
);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const service = serviceOfFile({
  SERVICE__ISSUER__LOGO: logo,
  SERVICE__ISSUER__DISPLAY_NAME: 'Einwohnermeldeangelegenheitenverwaltung of Example',
  SERVICE__ISSUER__LOCALISED_NAMES: 'ar=سجل المدينة',
  SERVICE__PAGES__CONTACT: '+49 30 123 456',
  SERVICE__PAGES__WALLET_HELP: 'https://wallets.example/',
});

describeInBrowser('in a browser', (browser) => {
  it('everyone can read the page of a problem', async () => {
    const url = `${service.url}/problems/not-found`;
    const visited = await visit(browser(), url);
    expect(await faultsInEveryLook(visited, 'problem')).toEqual({});
    expect(visited).toMatchObject({ requested: [url], complaints: [] });
    await visited.close();
  });

  it('everyone can read the page of an offer, which follows the wallet and asks nobody else for anything', async () => {
    const display = [{ name: 'Membership', description: 'Shows that you are a member.', background_color: '#12107c' }];
    const templateId = await publishedTemplate(service.url, { display });
    const { offerId, link, txCode } = await prepareOffer(service.url, [templateId], { txCode: true });
    const { page: url } = answered(200, await get(`${service.url}/v0/offers/${offerId}`))['links'] as { page: string };
    const visited = await visit(browser(), url);
    for (const summary of await visited.page.locator('summary').all()) await summary.click();
    expect(await faultsInEveryLook(visited, 'offer')).toEqual({});

    await get(offerUri(link));
    await visited.page.getByRole('heading', { name: 'Continue in your wallet' }).waitFor();
    const session = await openSession(link, 'F', { tx_code: String(txCode) });
    const { notification_id } = answered(200, await requestCredential(session));
    const report = { notification_id, event: 'credential_accepted' };
    const headers = { authorization: `Bearer ${session.accessToken}` };
    expect((await postJson(String(session.metadata['notification_endpoint']), report, headers)).status).toBe(204);
    await visited.page.getByRole('heading', { name: 'The credential is in your wallet' }).waitFor();
    expect(await visited.page.title()).toContain('The credential is in your wallet');
    expect(await faultsInEveryLook(visited, 'accepted offer')).toEqual({});
    expect(visited.complaints).toEqual([]);
    expect(visited.requested.filter((asked) => !asked.startsWith(`${service.url}/`))).toEqual([]);
    await visited.close();
  });

  it('an open page survives a moment in which the service cannot be reached', async () => {
    const { offerId, link } = await prepareOffer(service.url);
    const { page: url } = answered(200, await get(`${service.url}/v0/offers/${offerId}`))['links'] as { page: string };
    const visited = await visit(browser(), url);
    const unavailable =
      '<main data-state="unavailable"><div id="state"><h1>Later</h1></div><div id="content"></div></main>';
    const refresh = { status: 503, contentType: 'text/html', body: unavailable };
    await visited.page.route(url, (route) => route.fulfill(refresh), { times: 1 });
    const failed = visited.page.waitForResponse((response) => response.status() === 503);
    await get(offerUri(link));
    await failed;
    await visited.page.getByRole('heading', { name: 'Continue in your wallet' }).waitFor();
    await send(`${service.url}/v0/offers/${offerId}`, { method: 'DELETE' });
    await visited.page.getByRole('heading', { name: 'The offer was withdrawn' }).waitFor();
    await visited.close();
  });

  it('an offer is in Arabic from right to left, with links and numbers as they are, for whoever reads that', async () => {
    const display = [{ name: 'Membership' }, { name: 'عضوية', locale: 'ar' }];
    const templateId = await publishedTemplate(service.url, { display });
    const { offerId, link } = await prepareOffer(service.url, [templateId], { txCode: true });
    const { page: url } = answered(200, await get(`${service.url}/v0/offers/${offerId}`))['links'] as { page: string };
    const visited = await visit(browser(), url, { language: 'ar' });
    const { page } = visited;
    for (const summary of await page.locator('summary').all()) await summary.click();
    expect(await faultsInEveryLook(visited, 'offer in Arabic')).toEqual({});
    const direction = (selector: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).direction`);
    expect([await direction('main'), await direction('#link')]).toEqual(['rtl', 'ltr']);
    // Apart from names of other languages, forms and addresses, nothing is left in Latin letters.
    const words = (await page.locator('main').innerText()).replace(/QR|Einwohnermelde\w+ of Example/g, '');
    expect(words).not.toMatch(/[A-Za-z]{2}/);
    expect(words).toContain('سجل المدينة');
    await redeem(await readOffer(link), { tx_code: 'wrong' });
    await page.getByText('المحاولات المتبقية: 4').waitFor();
    expect(visited.complaints).toEqual([]);
    await visited.close();
  });

  it('an offer can be taken without scripts, in the language of the person', async () => {
    const { offerId } = await prepareOffer(service.url);
    const { page: url } = answered(200, await get(`${service.url}/v0/offers/${offerId}`))['links'] as { page: string };
    const visited = await visit(browser(), url, { language: 'fr', script: false });
    const { page } = visited;
    expect(
      await page.getByRole('link', { name: 'Ouvrir le portefeuille sur cet appareil' }).getAttribute('href'),
    ).toMatch(/^openid-credential-offer:/);
    await page.getByRole('link', { name: 'Nederlands' }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Uw bewijs is klaar');
    await page.getByRole('link', { name: 'Opnieuw controleren' }).click();
    expect(visited.complaints).toEqual([]);
    await visited.close();
  });
});
