import { describeInBrowser } from '../support/browser/chromium';
import { faultsInEveryLook, visit } from '../support/browser/visit';
import { answered, get, postJson, send } from '../support/http/requests';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { offerUri, openSession, requestCredential } from '../support/wallets/wallet';

const service = serviceOfFile();

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
    await visited.page.locator('summary').click();
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
