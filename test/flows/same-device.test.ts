import { Expiries } from '@app/operation';
import { AUTHORIZATION_REQUESTS, type PresentationRequests } from '@app/verification/src/request/authorization-request';
import { listen } from '../support/http/event-stream';
import { answered, get, type Json, postJson } from '../support/http/requests';
import { type Asked, ask, receiveRequest, respond, resultOf } from '../support/presenters/presenter';
import { selfIssued } from '../support/presenters/credentials';
import { idCard } from '../support/presenters/holdings';
import { serviceOfFile } from '../support/service/service-of-file';
import { readJwt } from '../support/wallets/credentials';
import { newHolder } from '../support/wallets/key-proofs';

const minute = 60_000;
const redirectUri = 'https://shop.example/back';
const holder = newHolder('ES256', 'did:jwk');

const service = serviceOfFile();

/** Answers the request as a wallet does. @returns where the wallet takes the person */
async function answerTo(asked: Asked): Promise<URL> {
  const received = await receiveRequest(asked, 'siopv2');
  const reply = answered(200, await respond(received, { idToken: selfIssued(holder, received, '') }));
  return new URL(String(reply['redirect_uri']));
}

const codeIn = ({ hash }: URL): string => new URLSearchParams(hash.slice(1)).get('response_code') ?? '';

/** Gives the request an answer that a wallet would have sent six minutes ago. @returns the response code */
async function earlierAnswerTo(asked: Asked, bound: Json = {}): Promise<string> {
  const requests = service.app.get<PresentationRequests>(AUTHORIZATION_REQUESTS, { strict: false });
  const other = await ask(service.url, { redirectUri });
  const responseCode = codeIn(await answerTo(other));
  const [recorded] = (await requests.events(other.state)).map(({ event }) => event).slice(-1);
  if (recorded?.type !== 'PresentationVerified') throw new Error('not verified');
  const returnBy = new Date(Date.now() - minute).toISOString();
  await requests.update(asked.state, () => [{ ...recorded, ...bound, returnBy }]);
  return responseCode;
}

const redeem = ({ state }: Asked, responseCode: unknown) =>
  postJson(`${service.url}/v0/authorization_requests/${state}/response_code`, { responseCode });

const statesListedAs = async (status: string): Promise<unknown[]> => {
  const list = answered(200, await get(`${service.url}/v0/authorization_requests?limit=200&status=${status}`));
  return (list['items'] as Json[]).map(({ state }) => state);
};

describe('an answer for which nobody comes back', () => {
  it('is shown to nobody, and is rejected after five minutes', async () => {
    const [early, late] = [await ask(service.url, { redirectUri }), await ask(service.url, { redirectUri })];
    const codes = [codeIn(await answerTo(early)), await earlierAnswerTo(late)];
    expect(await resultOf(early)).toMatchObject({ status: 'verified', id_token: null, failure: null });
    expect(await resultOf(late)).toMatchObject({
      status: 'rejected',
      id_token: null,
      subject: null,
      withheld: null,
      failure: { check: 'session', reason: expect.stringContaining('5 minutes') as unknown },
    });
    expect(await statesListedAs('rejected')).toEqual([late.state]);
    const stream = await listen(`${service.url}/v0/events?types=presentation.rejected,presentation.released`);
    expect((await redeem(late, codes[1])).json).toMatchObject({
      detail: expect.stringContaining('expired') as unknown,
    });
    expect(answered(200, await redeem(early, codes[0]))).toMatchObject({ status: 'verified', withheld: null });
    await service.app.get(Expiries).record();
    const events = await stream.take(2);
    stream.cut();
    expect(events.map(({ type, data }) => [type, data])).toEqual(
      expect.arrayContaining([
        ['presentation.released', { state: early.state, status: 'verified' }],
        ['presentation.rejected', { state: late.state, status: 'rejected', check: 'session' }],
      ]),
    );
    const { timeline, failure, status } = await resultOf(late);
    expect(status).toBe('rejected');
    expect(timeline).toContainEqual({
      at: expect.any(String) as unknown,
      step: 'abandoned',
      outcome: 'rejected',
      detail: failure,
    });
    expect(await statesListedAs('rejected')).toEqual([late.state]);
    expect(await statesListedAs('verified')).toContain(early.state);
  });
});

/** The page of a request in a browser. */
interface Opened {
  readonly cookie: string;
  readonly setCookie: string | null;
  /** As its page has it for wallets. */
  readonly asked: Asked;
}

const pageOf = ({ answer }: Asked): string => (answer['links'] as { page: string }).page;

/** @param cookie of a browser that was here before */
async function open(asked: Asked, cookie?: string): Promise<Opened> {
  const { text, headers } = await get(pageOf(asked), cookie === undefined ? {} : { cookie });
  const [, link = ''] = /<a class="button" href="([^"]+)"/.exec(text) ?? [];
  const setCookie = headers.get('set-cookie');
  const answer = { variants: { siopv2: link.replaceAll('&#38;', '&') } };
  return { cookie: setCookie?.split(';')[0] ?? '', setCookie, asked: { ...asked, answer } };
}

const comeBack = (asked: Asked, responseCode: string, headers: Record<string, string>) =>
  postJson(`${pageOf(asked)}/return`, { responseCode }, headers);

describe('a request that returns to its page', () => {
  const returnToPage = true;
  let asked: Asked;
  let opened: Opened;
  let back: URL;
  beforeAll(async () => {
    asked = await ask(service.url, { returnToPage });
    opened = await open(asked);
    back = await answerTo(opened.asked);
  });

  it('has its page alone as link: there each browser gets links of its own, and the others get none', async () => {
    const { authorizationRequest, variants } = asked.answer;
    expect(authorizationRequest).toBe(pageOf(asked));
    expect(variants).toMatchObject({
      '1.0': null,
      siopv2: null,
      unavailable: { siopv2: expect.stringContaining(pageOf(asked)) as unknown },
    });
    const other = await ask(service.url, { returnToPage });
    const [one, again, another] = [
      await open(other, opened.cookie),
      await open(other, opened.cookie),
      await open(other),
    ];
    expect([one.cookie, again.asked]).toEqual([opened.cookie, one.asked]);
    expect(another.asked.answer).not.toEqual(one.asked.answer);
    expect(another.cookie).not.toBe(one.cookie);
    expect(one.setCookie).toMatch(/^browser=[\w-]{43}; Path=\/; Max-Age=86400; HttpOnly; SameSite=Lax$/);
    expect((await open(await ask(service.url, { redirectUri }), opened.cookie)).setCookie).toBeNull();
    expect(JSON.stringify(one.asked.answer)).not.toContain(opened.cookie.split('=')[1]);
  });

  it('is found by wallets in the links of its page only', async () => {
    const { link } = await receiveRequest((await open(await ask(service.url, { returnToPage }))).asked, 'siopv2');
    const uri = link.searchParams.get('request_uri') ?? '';
    const plain =
      (await receiveRequest(await ask(service.url, {}), 'siopv2')).link.searchParams.get('request_uri') ?? '';
    const session = /\.[\w-]{43}\//.exec(uri)?.[0] ?? '';
    expect(session).not.toBe('');
    const wrong = [
      uri.replace(session, '/'),
      uri.replace(session, './'),
      uri.replace(session, '.x/'),
      uri.replace(session, `${session.slice(0, -1)}.x/`),
      plain.replace('/request', `${session}request`),
    ];
    for (const address of wrong) {
      expect([address, (await get(address)).status]).toEqual([address, 404]);
      const posted = await postJson(address.replace(/request$/, 'response'), {});
      expect([address, posted.status, posted.json['error']]).toEqual([address, 400, 'invalid_request']);
    }
    expect((await get(uri)).status).toBe(200);
  });

  it('has links for every generation of wallets on its page, each for that browser', async () => {
    const dcql_query = { credentials: [idCard] };
    const several = await ask(service.url, { returnToPage, responseMode: 'direct_post.jwt', dcql_query });
    const { text } = await get(pageOf(several));
    const forms = [...text.matchAll(/form=([\w.-]+)/g)].map(([, name = '']) => name);
    expect(new Set(forms)).toEqual(new Set(['haip', 'draft-20']));
    for (const query of ['', ...forms.map((name) => `?form=${name}`)]) {
      const page = await get(`${pageOf(several)}${query}`, { cookie: opened.cookie });
      const [, link = ''] = /<a class="button" href="([^"]+)"/.exec(page.text) ?? [];
      const uri = new URL(link.replaceAll('&#38;', '&')).searchParams.get('request_uri') ?? '';
      expect([query, uri]).toEqual([query, expect.stringMatching(/\.[\w-]{43}\/request$/)]);
      const { payload } = readJwt((await get(uri)).text);
      expect(payload['response_uri']).toBe(uri.replace(/request$/, 'response'));
    }
  });

  it('sends the person to the page, which asks whether it is the browser that began', async () => {
    expect(`${back.origin}${back.pathname}`).toBe(`${pageOf(asked)}/return`);
    expect(codeIn(back)).toMatch(/^[\w-]{43}$/);
    const { status, text, headers } = await get(back.href.split('#')[0] ?? '');
    expect([status, headers.get('set-cookie')]).toEqual([200, null]);
    expect(text).toContain('data-state="returning"');
    expect((await get(`${pageOf(await ask(service.url, { redirectUri }))}/return`)).status).toBe(404);
  });

  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  it.each([
    ['without a code', () => comeBack(asked, '', { cookie: opened.cookie })],
    ['with another code', () => comeBack(asked, `${codeIn(back)}A`, { cookie: opened.cookie })],
    ['in a browser that has not opened the page', () => comeBack(asked, codeIn(back), {})],
    [
      'in another browser that has opened the page',
      async () => comeBack(asked, codeIn(back), { cookie: (await open(asked, '')).cookie }),
    ],
    ['with a cookie of another form', () => comeBack(asked, codeIn(back), { cookie: 'browser=x' })],
    ['by a form', () => comeBack(asked, codeIn(back), { cookie: opened.cookie, ...form })],
    [
      'from a page elsewhere',
      () => comeBack(asked, codeIn(back), { cookie: opened.cookie, 'sec-fetch-site': 'cross-site' }),
    ],
    ['with something else than an object', () => postJson(`${pageOf(asked)}/return`, '[1', { cookie: opened.cookie })],
    [
      'to another request',
      async () => comeBack(await ask(service.url, { returnToPage }), codeIn(back), { cookie: opened.cookie }),
    ],
  ])('is not released %s', async (_how, attempt) => {
    const { status, text } = await attempt();
    expect([status, text]).toEqual([403, expect.stringContaining('data-state="refused"')]);
    expect(await resultOf(asked)).toMatchObject({ status: 'verified', id_token: null, subject: null });
  });

  it('is not released by the portal, nor at an address that leads nowhere', async () => {
    expect(await redeem(asked, codeIn(back))).toMatchObject({
      status: 403,
      json: { detail: expect.stringContaining('when the person returns to the page of the request') as unknown },
    });
    const { timeline } = await resultOf(asked);
    expect((timeline as Json[]).filter(({ step }) => step === 'return refused')).toHaveLength(3);
    const nowhere = `${service.url}/r/${'A'.repeat(43)}/return`;
    expect((await postJson(nowhere, { responseCode: 'x' }, { cookie: opened.cookie })).status).toBe(404);
    expect((await resultOf(asked))['withheld']).toContain('the browser that had it open');
    expect((await get(pageOf(asked), { cookie: opened.cookie })).text).toContain('One more step');
  });

  it('is released once in the browser that began, however often it comes back at once', async () => {
    const attempts = Array.from({ length: 5 }, () =>
      comeBack(asked, codeIn(back), { cookie: `a=b; ${opened.cookie}` }),
    );
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([204, 403, 403, 403, 403]);
    expect(await resultOf(asked)).toMatchObject({
      status: 'verified',
      withheld: null,
      subject: expect.any(String) as unknown,
    });
    expect((await comeBack(asked, codeIn(back), { cookie: opened.cookie })).status).toBe(403);
    const { text } = await get(pageOf(asked), { cookie: opened.cookie });
    expect(text).toContain('Thank you, your answer was accepted');
  });

  it('is not released after five minutes, and its page says so', async () => {
    const late = await ask(service.url, { returnToPage });
    const { cookie, asked: inBrowser } = await open(late);
    const session = /\.([\w-]{43})\//.exec(decodeURIComponent(JSON.stringify(inBrowser.answer)))?.[1];
    expect(session).toBeDefined();
    const code = await earlierAnswerTo(late, { session });
    expect((await comeBack(late, code, { cookie })).status).toBe(403);
    expect(await resultOf(late)).toMatchObject({ status: 'rejected', failure: { check: 'session' } });
    expect((await get(pageOf(late), { cookie })).text).toContain('The answer was not passed on');
  });
});
