import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { Wallet } from '../../examples/wallet';
import { describeInBrowser } from '../support/browser/chromium';
import { faultsInEveryLook, type Visit, visit } from '../support/browser/visit';
import { listen } from '../support/http/event-stream';
import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { presentSdJwt, selfIssued } from '../support/presenters/credentials';
import { dataOf, receiveDigital } from '../support/presenters/digital-credential';
import { type Holdings, idCard, receiveHoldings } from '../support/presenters/holdings';
import { ask, type Asked, linkOf, receiveRequest, respond, resultOf } from '../support/presenters/presenter';
import { type RunningService, startService } from '../support/service/service';
import { newHolder } from '../support/wallets/key-proofs';

const vct = 'https://credentials.example/student-card';
// A word that occurs in presented claims only.
const canary = 'Zwergspitzmaus';
const hostile = '<img src=x onerror="document.title=`owned`">';

let service: RunningService;
let folder: string;
let wallet: Wallet;
/** In the wallet of a browser. */
let holdings: Holdings;
beforeAll(async () => {
  service = await startService();
  holdings = await receiveHoldings(service.url, { given_name: canary, level: 3 });
  folder = await mkdtemp(join(tmpdir(), 'sealwright-pages-'));
  wallet = new Wallet({ file: join(folder, 'wallet.json') });
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await service.stop();
});

const studentCard = {
  id: 'card',
  format: 'dc+sd-jwt',
  meta: { vct_values: [vct] },
  claims: [{ path: ['given_name'] }],
};

function pageOf({ answer: { links } }: Asked): string {
  return (links as { page: string }).page;
}

/** Waits for the title of the page to become this one. @returns milliseconds */
async function untilTitled({ page }: Visit, title: string): Promise<number> {
  const begin = performance.now();
  await page.locator('h1', { hasText: title }).waitFor();
  return Math.round(performance.now() - begin);
}

describe('the page of a request', () => {
  it('says the same in the language of the person, and leaves no mark', async () => {
    const asked = await ask(service.url, {
      purpose: 'Pour le tarif étudiant.',
      dcql_query: { credentials: [studentCard] },
    });
    const french = await get(pageOf(asked), { 'accept-language': 'fr-CH, en;q=0.5' });
    expect(french.text).toContain('<html lang="fr" dir="ltr">');
    for (const text of ['Pour le tarif étudiant.', 'Prénom', 'Veuillez présenter votre attestation']) {
      expect(french.text).toContain(text);
    }
    expect(await resultOf(asked)).toMatchObject({ status: 'pending' });
  });

  it('follows each answer until the request expires, and then leads back', async () => {
    const asked = await ask(service.url, { expiresIn: 'PT3S', redirectUri: 'https://portal.example/done?basket=4711' });
    const page = pageOf(asked);
    const events = await listen(`${page}/events`);
    const next = async (): Promise<unknown> => {
      const event = await events.next();
      return event?.data === '' ? next() : event?.data;
    };
    expect(await next()).toBe('pending');
    await respond(await receiveRequest(asked, 'siopv2'), {}, { error: 'access_denied' });
    const seen = [await next()];
    while (seen.at(-1) !== undefined) seen.push(await next());
    expect(seen.slice(-2)).toEqual(['expired', undefined]);
    expect(seen).toContain('declined');
    const { text } = await get(page);
    expect(text).toContain('This request has expired');
    expect(text).toContain('href="https://portal.example/done"');
    expect(text).not.toContain('4711');
  });

  it('is one of a link that is not valid for any other handle, and once what was asked is erased', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: [studentCard] } });
    await send(`${service.url}/v0/authorization_requests/${asked.state}/personal_data`, { method: 'DELETE' });
    for (const page of [pageOf(asked), `${service.url}/r/${'A'.repeat(43)}`]) {
      const { status, text } = await get(page);
      expect([status, text]).toEqual([404, expect.stringContaining('This link is no longer valid')]);
    }
  });
});

/** What the wallet of a browser is asked for. */
const askPages = (body: Json = {}): Promise<Asked> =>
  ask(service.url, { dcql_query: { credentials: [idCard] }, responseMode: 'dc_api.jwt', ...body });

/** Whose wallet answers as a test says. @param wallet gets what a page passes to `navigator.credentials.get` */
function browserWithWallet(wallet: (options: Json) => Promise<Json>) {
  return async (page: Page): Promise<void> => {
    await page.exposeFunction('askWallet', wallet);
    await page.addInitScript(`
      globalThis.DigitalCredential = class { static userAgentAllowsProtocol = (name) => /^openid4vp-v1-/.test(name); };
      navigator.credentials.get = async (options) => {
        const { protocol, data } = await askWallet(options);
        return { protocol, data };
      };`);
  };
}

const withoutApi = (page: Page): Promise<void> =>
  page.addInitScript('delete globalThis.DigitalCredential;').then(() => undefined);

const walletButton = ({ page }: Visit) => page.getByRole('button', { name: 'Continue with a wallet' });

describeInBrowser('in a browser', (browser) => {
  it('the page of a request follows the wallet, shows nothing of the answer, and the wallet returns the person to the portal', async () => {
    const title = 'Student card of the University of Groningen';
    const template = await publishedTemplate(service.url, { vct, title });
    const { link } = await prepareOffer(
      service.url,
      [template],
      {},
      {
        credential: { credentialSubject: { given_name: canary, level: 3 } },
      },
    );
    await wallet.receive(link);
    const portal = 'https://portal.example/done';
    const asked = await ask(service.url, {
      dcql_query: { credentials: [studentCard] },
      purpose: 'To give you the student price.',
      redirectUri: `${portal}?basket=4711`,
    });
    const visited = await visit(browser(), pageOf(asked));
    const { page, requested, complaints } = visited;
    await untilTitled(visited, 'Please show your credential');
    expect(await page.locator('main').innerText()).toMatch(
      new RegExp(`To give you the student price\\.[^]*${title}[^]*Given name[^]*portal\\.example`),
    );
    expect(await page.locator('a.button').getAttribute('href')).toBe(linkOf(asked));
    expect(await faultsInEveryLook(visited, 'request')).toEqual({});

    await receiveRequest(asked);
    await untilTitled(visited, 'Continue in your wallet');
    const { redirectUri } = await wallet.present(linkOf(asked));
    const milliseconds = await untilTitled(visited, 'One more step');
    console.log(`The page showed the acceptance ${milliseconds} ms after the wallet had it.`);
    expect(await faultsInEveryLook(visited, 'request answered')).toEqual({});
    expect(await page.locator('a.button').getAttribute('href')).toBe(portal);
    const shown = await page.content();
    expect(shown).not.toMatch(new RegExp(`${canary}|4711|response_code`));
    expect(requested.filter((url) => new URL(url).origin !== service.url)).toEqual([]);
    expect(complaints).toEqual([]);

    await page.route(`${portal}*`, (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Portal</h1>' }));
    await page.goto(String(redirectUri));
    const { searchParams, hash } = new URL(page.url());
    expect(searchParams.get('basket')).toBe('4711');
    const responseCode = new URLSearchParams(hash.slice(1)).get('response_code');
    expect(await resultOf(asked)).toMatchObject({ status: 'verified', vp_token: null });
    const redemption = `${service.url}/v0/authorization_requests/${asked.state}/response_code`;
    expect(answered(200, await postJson(redemption, { responseCode }))).toMatchObject({
      credentials: [{ claims: { given_name: canary } }],
    });
    await visited.close();
  });

  it('the wallet returns the person to the page of a request, and the answer counts in the browser that began alone', async () => {
    const asked = await ask(service.url, { returnToPage: true, redirectUri: 'https://portal.example/done' });
    const [visited, elsewhere] = [await visit(browser(), pageOf(asked)), await visit(browser(), pageOf(asked))];
    const { page, complaints } = visited;
    expect(await page.locator('img.code, .code img').count()).toBe(0);
    expect(await page.locator('main').innerText()).toMatch(/has to be on this device[^]*back to this browser/);
    const link = await page.locator('a.button').getAttribute('href');
    const received = await receiveRequest({ ...asked, answer: { variants: { siopv2: link } } }, 'siopv2');
    const idToken = selfIssued(newHolder('ES256', 'did:jwk'), received, '');
    const back = String(answered(200, await respond(received, { idToken }))['redirect_uri']);
    await untilTitled(visited, 'One more step');
    expect(await page.locator('a.button').count()).toBe(0);

    await elsewhere.page.goto(back);
    await untilTitled(elsewhere, 'You could not be brought back');
    expect(await faultsInEveryLook(elsewhere, 'return in another browser')).toEqual({});
    expect(await resultOf(asked)).toMatchObject({ subject: null });
    await page.goto(back);
    await untilTitled(visited, 'Thank you, your answer was accepted');
    expect(page.url()).toBe(pageOf(asked));
    expect(await page.locator('a.button').getAttribute('href')).toBe('https://portal.example/done');
    expect(await resultOf(asked)).toMatchObject({ status: 'verified', subject: expect.any(String) as unknown });
    expect(complaints).toEqual([]);
    await Promise.all([visited.close(), elsewhere.close()]);

    const unscripted = await visit(browser(), back, { script: false, language: 'nl' });
    expect(await unscripted.page.locator('main').innerText()).toContain('JavaScript');
    await unscripted.close();
  });

  it('a return from the wallet that does not reach the service is tried again', async () => {
    const asked = await ask(service.url, { returnToPage: true });
    const visited = await visit(browser(), pageOf(asked));
    const { page } = visited;
    const link = await page.locator('a.button').getAttribute('href');
    const received = await receiveRequest({ ...asked, answer: { variants: { siopv2: link } } }, 'siopv2');
    const idToken = selfIssued(newHolder('ES256', 'did:jwk'), received, '');
    const back = String(answered(200, await respond(received, { idToken }))['redirect_uri']);
    let attempts = 0;
    await page.route('**/return', (route, request) => {
      if (request.method() !== 'POST') return route.continue();
      attempts += 1;
      if (attempts === 1) return route.abort('internetdisconnected');
      return attempts === 2 ? route.fulfill({ status: 503 }) : route.continue();
    });
    await page.goto(back);
    await untilTitled(visited, 'Thank you, your answer was accepted');
    expect(attempts).toBe(3);
    await visited.close();
  });

  it('the page of a request works without script and by keyboard alone', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: [studentCard] } });
    const visited = await visit(browser(), pageOf(asked), { script: false, language: 'de' });
    const { page } = visited;
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    await untilTitled(visited, 'Bitte zeigen Sie Ihren Nachweis');
    const received = await receiveRequest(asked);
    await respond(received, {}, { error: 'access_denied' });
    const focused = async (): Promise<string> => {
      await page.keyboard.press('Tab');
      return page.locator(':focus').innerText();
    };
    expect([await focused(), await focused()]).toEqual([
      'Wallet auf diesem Gerät öffnen',
      'Öffnet sich Ihre Wallet nicht, oder liest sie den Code nicht?',
    ]);
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('Übliche Form');
    expect(await focused()).toBe('Für ältere Wallets');
    await page.keyboard.press('Enter');
    await page.waitForURL(/form=draft-20/);
    await untilTitled(visited, 'Es wurde nichts vorgezeigt');
    expect(await page.locator('a.button').getAttribute('href')).toBe(linkOf(asked, 'draft-20'));
    await visited.close();
  });

  it('the reason and what is confirmed are read in the language of the person', async () => {
    const credential = { format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] }, claims: [{ path: ['sex'] }] };
    const asked = await ask(service.url, {
      purpose: { en: 'To give you the student price.', ar: 'لمنحك سعر الطلاب.' },
      dcql_query: { credentials: [{ ...credential, id: 'pid' }] },
      transactionData: [
        {
          type: 'urn:payment',
          credentialIds: ['pid'],
          shownAs: { ar: 'ادفع 12.50 يورو.', de: 'Zahlen Sie 12,50 EUR.' },
        },
      ],
    });
    const read = async (language: string) => {
      const visited = await visit(browser(), pageOf(asked), { language });
      const text = await visited.page.locator('main').innerText();
      if (language === 'ar') expect(await faultsInEveryLook(visited, 'request in Arabic')).toEqual({});
      await visited.close();
      return text;
    };
    expect(await read('ar')).toMatch(/لمنحك سعر الطلاب\.[^]*ادفع 12\.50 يورو\./);
    expect(await read('de')).toMatch(/To give you the student price\.[^]*Zahlen Sie 12,50 EUR\./);
    // What machines call it is there for whoever looks for it.
    expect(await read('en')).toMatch(/ادفع 12\.50 يورو\.[^]*Technical name/);
    expect(await read('en')).not.toContain('urn:eudi:pid:1');
  });

  it('names of any length, direction and intention are text, and the page stays as wide as the screen', async () => {
    const long = 'donaudampfschifffahrtsgesellschaftskapitaenspatentnummer'.repeat(2);
    const credential = { format: 'dc+sd-jwt', meta: { vct_values: [`urn:${hostile}:${long}`] } };
    const asked = await ask(service.url, {
      purpose: `${hostile} שלום ${long}`,
      responseType: 'vp_token id_token',
      dcql_query: {
        credentials: [
          { ...credential, id: 'one', claims: [{ path: ['اسم_العائلة'] }, { path: [hostile, null, long] }] },
          {
            ...credential,
            id: 'other',
            claims: [
              { id: 'a', path: ['age_over_18'] },
              { id: 'b', path: ['address', 'postal_code'] },
            ],
            claim_sets: [['a'], ['a', 'b']],
          },
          { id: 'any', format: 'jwt_vc_json', meta: { type_values: [['VerifiableCredential']] } },
        ],
        credential_sets: [{ options: [['one'], ['other']] }, { options: [['any']], required: false }],
      },
      transactionData: [
        { type: `urn:${hostile}:${long}`, credentialIds: ['one', 'other'], shownAs: `${hostile} ${long}` },
      ],
    });
    const visited = await visit(browser(), pageOf(asked));
    await untilTitled(visited, 'Please show your credential');
    expect(await faultsInEveryLook(visited, 'request with unusual names')).toEqual({});
    expect(await visited.page.locator('main').innerText()).toContain(hostile);
    expect(visited.requested.filter((url) => new URL(url).origin !== service.url)).toEqual([]);
    expect(visited.complaints).toEqual([]);
    await visited.close();
  });

  it('the page asks the wallet of a browser that can, and takes its answer', async () => {
    const asked = await askPages();
    const received = receiveDigital(asked, service.url);
    const token = presentSdJwt(holdings.sdJwt, holdings.holder, received);
    const calls: Json[] = [];
    const prepare = browserWithWallet(async (options) => {
      calls.push(options);
      if (calls.length === 1) throw new Error('the person closes the window');
      return { protocol: received.protocol, data: await dataOf(received, { id_card: token }) };
    });
    const visited = await visit(browser(), pageOf(asked), { prepare });
    await walletButton(visited).waitFor();
    expect(await visited.page.locator('a.button').getAttribute('href')).toBe(linkOf(asked));
    expect(await faultsInEveryLook(visited, 'request with a button for the browser')).toEqual({});
    expect(await visited.page.getByRole('alert').count()).toBe(0);

    await walletButton(visited).click();
    await visited.page.getByRole('alert').waitFor();
    expect(await visited.page.getByRole('alert').innerText()).toContain('That did not work');
    await walletButton(visited).click();
    await untilTitled(visited, 'Thank you, your answer was accepted');
    const { digitalCredential } = asked.answer as { digitalCredential: { requests: { protocol: string }[] } };
    expect(calls[1]).toMatchObject({ mediation: 'required' });
    expect((calls[1]?.['digital'] as typeof digitalCredential).requests.map(({ protocol }) => protocol)).toEqual(
      digitalCredential.requests.map(({ protocol }) => protocol),
    );
    expect(await resultOf(asked)).toMatchObject({
      status: 'verified',
      credentials: [{ claims: { given_name: canary } }],
    });
    expect(visited.requested.filter((url) => new URL(url).origin !== service.url)).toEqual([]);
    expect(visited.complaints).toEqual([]);
    await visited.close();
  });

  it('the answer of the wallet of the browser takes the person to where the portal wants them, with the response code', async () => {
    const portal = 'https://portal.example/done';
    const asked = await askPages({ redirectUri: portal });
    const received = receiveDigital(asked, service.url);
    const token = presentSdJwt(holdings.sdJwt, holdings.holder, received);
    const prepare = browserWithWallet(async () => ({
      protocol: received.protocol,
      data: await dataOf(received, { id_card: token }),
    }));
    const visited = await visit(browser(), pageOf(asked), { prepare });
    const { page } = visited;
    await page.route(`${portal}*`, (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Portal</h1>' }));
    await walletButton(visited).click();
    await untilTitled(visited, 'Portal');
    const responseCode = new URLSearchParams(new URL(page.url()).hash.slice(1)).get('response_code');
    const redemption = `${service.url}/v0/authorization_requests/${asked.state}/response_code`;
    expect(answered(200, await postJson(redemption, { responseCode }))).toMatchObject({
      credentials: [{ claims: { given_name: canary } }],
    });
    await visited.close();
  });

  it('the page has the link and the QR code alone in a browser that cannot ask a wallet, and for other requests', async () => {
    const other = await ask(service.url, { dcql_query: { credentials: [idCard] } });
    const never = browserWithWallet(() => Promise.reject(new Error('nobody is asked')));
    for (const [asked, prepare] of [
      [await askPages(), withoutApi],
      [other, never],
    ] as const) {
      const visited = await visit(browser(), pageOf(asked), { prepare });
      await visited.page.waitForLoadState('load');
      expect(await walletButton(visited).count()).toBe(0);
      expect(await visited.page.locator('.code img').isVisible()).toBe(true);
      expect(await visited.page.locator('a.button').getAttribute('href')).toBe(linkOf(asked));
      expect(visited.complaints).toEqual([]);
      await visited.close();
    }
  });
});
