import { AUTHORIZATION_REQUESTS, type PresentationRequests } from '@app/verification/src/request/authorization-request';
import { storedRows } from '../support/database/stored-rows';
import { expectProblem } from '../support/http/refusals';
import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { presentSdJwt } from '../support/presenters/credentials';
import { dataOf, postDigital, receiveDigital } from '../support/presenters/digital-credential';
import { type Holdings, idCard, receiveHoldings } from '../support/presenters/holdings';
import { post, type Received, receiveRequest, respond } from '../support/presenters/presenter';
import { type RunningService, startService } from '../support/service/service';
import { FormBrowser, pushRequest, wayBack } from '../support/wallets/authorization';
import { newHolder } from '../support/wallets/key-proofs';
import { offerUri } from '../support/wallets/wallet';

const presentation = { credentials: [{ ...idCard, claims: [{ path: ['given_name'] }, { path: ['level'] }] }] };
const claims = { '/given_name': 'presentation:/given_name' };

let service: RunningService;
let template: string;
let erika: Holdings;
let max: Holdings;
beforeAll(async () => {
  service = await startService();
  template = await publishedTemplate(service.url, { presentation, claims });
  erika = await receiveHoldings(service.url, { given_name: 'Erika-Marker', level: 4711 });
  max = await receiveHoldings(service.url, { given_name: 'Max', level: 4712 });
});
afterAll(() => service.stop());

/** A browser that has come to the page of a new request. */
async function opened(changes: Record<string, string> = {}): Promise<FormBrowser> {
  const browser = new FormBrowser(service.url);
  await browser.open((await pushRequest(service.url, { scope: template, ...changes })).page);
  return browser;
}

const unescaped = (text: string): string =>
  text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));

function attribute({ shown }: FormBrowser, pattern: RegExp): string {
  return unescaped(pattern.exec(shown?.text ?? '')?.[1] ?? '');
}

/** What a wallet reads that the page has opened. */
function receivedFrom(browser: FormBrowser): Promise<Received> {
  const link = attribute(browser, /<a class="button" href="([^"]+)"/);
  return receiveRequest({ url: service.url, state: '', answer: { variants: { '1.0': link } } });
}

function tokensOf({ sdJwt, holder }: Holdings, received: Received): Record<string, string> {
  return { id_card: presentSdJwt(sdJwt, holder, received) };
}

/** @returns where the wallet takes the person */
async function presented(browser: FormBrowser, holdings = erika): Promise<string> {
  const received = await receivedFrom(browser);
  return String(answered(200, await respond(received, { tokens: tokensOf(holdings, received) }))['redirect_uri']);
}

async function latest(list: 'authorizations' | 'authorization_requests'): Promise<Json> {
  const { items } = answered(200, await get(`${service.url}/v0/${list}?limit=1`));
  const [{ authorizationId, state } = {}] = items as Json[];
  return answered(200, await get(`${service.url}/v0/${list}/${String(authorizationId ?? state)}`));
}

async function issuerStateOf(offer: Json): Promise<{ offerId: string; issuer_state: string; scope: string }> {
  const prepared = await prepareOffer(service.url, [template], { grants: ['authorization_code'], ...offer });
  const grants = answered(200, await get(offerUri(prepared.link)))['grants'] as Record<string, Json>;
  const { issuer_state: issuerState } = grants['authorization_code'] ?? {};
  return { offerId: prepared.offerId, issuer_state: String(issuerState), scope: template };
}

describe('a person who shows by a presentation who they are', () => {
  it('gets a credential of what was presented, without a script', async () => {
    const browser = await opened({});
    expect([browser.state, browser.shown?.text]).toEqual(['pending', expect.stringContaining('given_name')]);
    expect(browser.shown?.text).toContain('<bdi>wallet.example</bdi>');
    // Nobody else is to scan it.
    expect(browser.shown?.text).not.toContain('<img');
    const back = await presented(browser);
    await browser.open(back);
    expect(browser.state).toBe('consent');
    expect(browser.shown?.text).toContain('<dd>Erika-Marker</dd>');
    await browser.open(back);
    expect(browser.state).toBe('consent');
    expect(wayBack(await browser.press('approve')).get('code')).not.toBeNull();
    expect((await latest('authorizations'))['timeline']).toContainEqual(
      expect.objectContaining({ step: 'person identified', detail: 'By a presentation.' }),
    );
  });

  it('is known in the browser alone that began, and by the code of the answer alone', async () => {
    const browser = await opened();
    const back = new URL(await presented(browser));
    const other = new FormBrowser(service.url);
    expect([(await other.open(back.href)).status, other.state]).toEqual([403, 'other-browser']);
    const code = back.searchParams.get('response_code') ?? '';
    expect(code).toHaveLength(43);
    for (const made of ['', code.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))]) {
      back.searchParams.set('response_code', made);
      await browser.open(back.href);
      expect(browser.state).toBe('withheld');
    }
    // Not even the portal can give it away, which may see the addresses that browsers open.
    const { state } = await latest('authorization_requests');
    const redeemed = `${service.url}/v0/authorization_requests/${String(state)}/response_code`;
    expectProblem(await postJson(redeemed, { responseCode: code }), 403, 'invalid-response-code');
    await browser.open(browser.address);
    expect(browser.state).toBe('withheld');
    back.searchParams.set('response_code', code);
    await browser.open(back.href);
    expect(browser.state).toBe('consent');
    back.searchParams.set('state', 'A'.repeat(100));
    expect([(await browser.open(back.href)).status, browser.state]).toEqual([400, 'ended']);
  });

  it('is asked on this page alone, and what they presented is shown to no portal', async () => {
    const browser = await opened();
    expect(browser.shown?.text).toContain('Does your wallet not open?');
    const received = await receivedFrom(browser);
    const [handle = ''] = /[\w-]{43,}/.exec(new URL(received.responseUri).pathname) ?? [];
    expect((await get(`${service.url}/r/${handle}`)).status).toBe(404);
    expect((await get(`${service.url}/r/${handle}/qr.svg`)).status).toBe(404);
    await browser.open(await presented(browser));
    const request = await latest('authorization_requests');
    expect(request).toMatchObject({ status: 'verified', vp_token: null, credentials: [] });
    expect(request['withheld']).toMatch(/shown to nobody else/);
    expect(request['eraseAt']).toEqual(expect.any(String));
    expect(JSON.stringify(await storedRows(service))).not.toContain('Erika-Marker');
  });

  it('can try again after an answer that is not accepted, and after declining', async () => {
    const browser = await opened();
    const first = await receivedFrom(browser);
    const stranger = { ...erika, holder: newHolder('ES256', 'did:jwk') };
    expect((await respond(first, { tokens: tokensOf(stranger, first) })).status).toBe(400);
    await browser.open(browser.address);
    expect(browser.state).toBe('rejected');
    const second = await receivedFrom(browser);
    const declined: [string, string][] = [
      ['error', 'access_denied'],
      ['state', second.state],
    ];
    expect((await post(second, declined)).status).toBe(200);
    await browser.open(browser.address);
    expect(browser.state).toBe('declined');
    await browser.open(await presented(browser));
    expect(browser.state).toBe('consent');
  });

  it('has to present what the template asks for when they come back', async () => {
    const changing = await publishedTemplate(service.url, { presentation, claims });
    const browser = await opened({ scope: changing });
    const back = await presented(browser);
    const stricter = { credentials: [{ ...presentation.credentials[0], meta: { vct_values: ['urn:eudi:pid:1'] } }] };
    const change = {
      body: JSON.stringify({ presentation: stricter }),
      headers: { 'content-type': 'application/json' },
    };
    answered(200, await send(`${service.url}/v0/templates/${changing}`, { method: 'PATCH', ...change }));
    expect(wayBack(await browser.open(back)).get('error')).toBe('access_denied');
  });

  it('can go back to the wallet instead', async () => {
    const browser = await opened();
    expect(wayBack(await browser.press('reject')).get('error')).toBe('access_denied');
  });

  it('can choose language and form of the link, and keeps them', async () => {
    const browser = await opened();
    const choice = attribute(browser, /<a href="([^"]+form=draft-20)"/);
    await browser.open(choice.replace('language=en', 'language=de'));
    expect([browser.state, browser.shown?.text]).toEqual(['pending', expect.stringContaining('Bitte zeigen Sie')]);
    expect(attribute(browser, /<form method="post" action="([^"]+)"/)).toContain('language=de');
  });

  it('comes too late after five minutes', async () => {
    const browser = await opened();
    await presented(browser);
    const { state } = await latest('authorization_requests');
    const requests = service.app.get<PresentationRequests>(AUTHORIZATION_REQUESTS, { strict: false });
    const failure = { check: 'session', reason: 'nobody came back' };
    const returnBy = new Date().toISOString();
    await requests.update(String(state), () => [{ type: 'PresentationAbandoned', returnBy, failure }]);
    expect(wayBack(await browser.open(browser.address)).get('error')).toBe('access_denied');
    expect(JSON.stringify((await latest('authorizations'))['timeline'])).toContain('presentation-abandoned');
  });

  it('presents to the wallet of the browser, too, where a script may run', async () => {
    const browser = await opened();
    expect(browser.shown?.headers.get('content-security-policy')).toContain("script-src 'self'");
    const answer = {
      digitalCredential: JSON.parse(attribute(browser, /data-digital="([^"]+)"/)) as Json,
      responseUrl: attribute(browser, /data-response="([^"]+)"/),
    };
    const received = receiveDigital({ url: service.url, state: '', answer }, service.url);
    const data = await dataOf(received, tokensOf(erika, received));
    await browser.open(String(answered(200, await postDigital(received, data))['redirect_uri']));
    expect(browser.state).toBe('consent');
  });
});

describe('an offer for whom a presentation identifies', () => {
  it('is accepted by the expected person only', async () => {
    const expectedSubject = { claim: 'level', value: '4711' };
    const { offerId, ...asked } = await issuerStateOf({ identification: 'presentation', expectedSubject });
    const wrong = await opened(asked);
    await wrong.open(await presented(wrong, max));
    expect(wrong.state).toBe('unexpected');
    expect(wrong.shown?.text).toContain('Show another credential');
    expect(JSON.stringify((await latest('authorizations'))['timeline'])).toContain('unexpected-person');
    expect(answered(200, await get(`${service.url}/v0/offers/${offerId}`))).toMatchObject({ state: 'Open' });
    const right = await opened(asked);
    await right.open(await presented(right));
    expect(right.state).toBe('consent');
    // The data is what the portal has submitted.
    expect(right.shown?.text).not.toContain('Erika-Marker');
    expect(wayBack(await right.press('approve')).get('code')).not.toBeNull();
  });

  it('may be for everyone: each gets a credential of what they presented', async () => {
    const body = { templateIds: [template], public: true, grants: ['authorization_code'] };
    const made = answered(201, await postJson(`${service.url}/v0/offers`, body));
    const { grants } = answered(200, await get(offerUri(String(made['credentialOffer']))));
    const { issuer_state: state } = (grants as Record<string, Json>)['authorization_code'] ?? {};
    for (const [holdings, name] of [
      [erika, 'Erika-Marker'],
      [max, 'Max'],
    ] as const) {
      const browser = await opened({ issuer_state: String(state) });
      await browser.open(await presented(browser, holdings));
      expect(browser.shown?.text).toContain(`<dd>${name}</dd>`);
      expect(wayBack(await browser.press('approve')).get('code')).not.toBeNull();
    }
  });

  it('ends when none of its templates says what is presented', async () => {
    const offer = { grants: ['authorization_code'], identification: 'presentation' };
    const { link } = await prepareOffer(service.url, [quickStart], offer);
    const grants = answered(200, await get(offerUri(link)))['grants'] as Record<string, Json>;
    const pushed = await pushRequest(service.url, {
      issuer_state: String(grants['authorization_code']?.['issuer_state']),
    });
    expect(wayBack(await new FormBrowser(service.url).open(pushed.page)).get('error')).toBe('access_denied');
    expect(JSON.stringify((await latest('authorizations'))['timeline'])).toContain('presentation-missing');
  });

  it('is refused where it could not be accepted', async () => {
    const offer = (changes: Json) =>
      postJson(`${service.url}/v0/offers`, {
        grants: ['authorization_code'],
        identification: 'presentation',
        ...changes,
      });
    expectProblem(await offer({ templateIds: [await publishedTemplate(service.url)] }), 409, 'conflict');
    const other = { credentials: [{ ...presentation.credentials[0], claims: [{ path: ['given_name'] }] }] };
    const another = await publishedTemplate(service.url, { presentation: other, claims });
    expectProblem(await offer({ templateIds: [template, another] }), 409, 'conflict');
    const expectedSubject = { claim: 'family_name', value: 'Mustermann' };
    expectProblem(await offer({ templateIds: [template], expectedSubject }), 409, 'conflict');
  });
});

describe('credentials that are asked for together', () => {
  it('are identified by one presentation, or one after the other', async () => {
    const same = await publishedTemplate(service.url, { presentation, claims });
    expect((await opened({ scope: `${template} ${same}` })).state).toBe('pending');
    const other = { credentials: [{ ...presentation.credentials[0], claims: [{ path: ['given_name'] }] }] };
    const apart = await publishedTemplate(service.url, { presentation: other, claims });
    const pushed = await pushRequest(service.url, { scope: `${template} ${apart}` });
    const browser = new FormBrowser(service.url);
    await browser.open(pushed.page);
    expect([pushed.answer.status, browser.state]).toEqual([201, 'apart']);
  });
});
