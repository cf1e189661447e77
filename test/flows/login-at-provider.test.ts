import { Logger } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { eventually } from '../event-store/accounts';
import { answered, get, type Json, postForm } from '../support/http/requests';
import { type Lies, secret, TestOpenIdProvider } from '../support/counterparts/openid-provider';
import { storedRows } from '../support/database/stored-rows';
import { prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { FormBrowser, pushRequest, wayBack } from '../support/wallets/authorization';
import { offerUri } from '../support/wallets/wallet';

let provider: TestOpenIdProvider;
let service: RunningService;
let template: string;
const erika = { sub: 'u-1', given_name: 'Erika', student_number: '4711', email: 'erika@uni.example', acr: 'mfa' };

beforeAll(async () => {
  provider = await TestOpenIdProvider.start();
  service = await startService({
    SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: provider.host,
    SERVICE__IDENTIFICATION__OPENID__ISSUER: provider.issuer,
    SERVICE__IDENTIFICATION__OPENID__CLIENT_ID: 'sealwright',
    SERVICE__IDENTIFICATION__OPENID__CLIENT_SECRET: secret,
    SERVICE__IDENTIFICATION__OPENID__SCOPE: 'openid student',
    SERVICE__IDENTIFICATION__OPENID__ACR_VALUES: 'mfa',
    SERVICE__IDENTIFICATION__OPENID__MAX_AGE: '3600',
  });
  template = await publishedTemplate(service.url, {
    claims: { '/given_name': 'login:/given_name' },
    identification: 'openid',
  });
});
afterAll(async () => {
  provider.stop();
  await service.stop();
});
beforeEach(() => {
  provider.claims = erika;
  provider.lies = {};
});

/** A browser that was sent to the provider. */
async function begun(changes: Record<string, string> = {}): Promise<{ browser: FormBrowser; login: string }> {
  const pushed = await pushRequest(service.url, { scope: template, ...changes });
  const browser = new FormBrowser(service.url);
  const reply = await browser.open(pushed.page);
  const login = reply.headers.get('location') ?? '';
  return { browser, login };
}

async function back(changes: Record<string, string> = {}, lies: Lies = {}, offer: Record<string, string> = {}) {
  const { browser, login } = await begun(offer);
  provider.lies = lies;
  return { browser, reply: await browser.open(provider.loggedIn(login, changes)) };
}

/** An offer for one person, with what a wallet pushes for it. */
async function expecting(expectedSubject: { readonly claim: string; readonly value: string }) {
  const offer = { grants: ['authorization_code'], identification: 'openid', expectedSubject };
  const { link, offerId } = await prepareOffer(service.url, [quickStart], offer);
  const grants = answered(200, await get(offerUri(link)))['grants'] as Record<string, Json>;
  const state = String(grants['authorization_code']?.['issuer_state']);
  return { offerId, asked: { scope: quickStart, issuer_state: state } };
}

async function reasonOfLatest(): Promise<unknown> {
  const { items } = answered(200, await get(`${service.url}/v0/authorizations?limit=1`));
  const [{ authorizationId } = {}] = items as Json[];
  const { timeline } = answered(200, await get(`${service.url}/v0/authorizations/${String(authorizationId)}`));
  return JSON.stringify(timeline);
}

describe('readiness', () => {
  it('says whether the provider can be used, and depends on nothing else of it', async () => {
    const login = async () => (answered(200, await get(`${service.url}/readyz`))['details'] as Json)['login'];
    await eventually(async () => isDeepStrictEqual(await login(), { status: 'up', provider: 'usable' }));
  });
});

describe('a login at the OpenID provider', () => {
  it('fills the credential with what the provider says, and the rest is not kept', async () => {
    const { browser, login } = await begun();
    const asked = Object.fromEntries(new URL(login).searchParams);
    expect(asked).toMatchObject({
      client_id: 'sealwright',
      redirect_uri: `${service.url}/authorize/login/callback`,
      response_type: 'code',
      scope: 'openid student',
      code_challenge_method: 'S256',
      acr_values: 'mfa',
      max_age: '3600',
    });
    expect([asked['state'], asked['nonce'], asked['code_challenge']]).toEqual(
      Array(3).fill(expect.stringMatching(/^[\w-]{43,}$/)),
    );
    const callback = provider.loggedIn(login);
    await browser.open(callback);
    expect(browser.state).toBe('consent');
    expect(browser.shown?.text).toContain('<dd>Erika</dd>');
    expect(browser.shown?.text).not.toContain('erika@uni.example');
    // A reload of the callback spends no second code.
    const redeemed = provider.redeemed.length;
    await browser.open(callback);
    expect([browser.state, provider.redeemed.length]).toEqual(['consent', redeemed]);
    expect(wayBack(await browser.press('approve')).get('code')).not.toBeNull();
  });

  it('goes on when the browser opens the way back twice at once', async () => {
    const { browser, login } = await begun();
    const callback = provider.loggedIn(login);
    const answers = await Promise.all([1, 2, 3].map(() => get(callback, { cookie: browser.cookie })));
    expect(answers.map(({ headers }) => headers.get('location'))).toEqual(
      answers.map(() => expect.stringMatching(/^\/authorize\?/)),
    );
    await browser.open(callback);
    expect(browser.state).toBe('consent');
  });

  it.each([
    ['the person goes back', { error: 'access_denied' }, {}, 'access_denied', 'login-cancelled'],
    [
      'the provider has trouble',
      { error: 'temporarily_unavailable' },
      {},
      'temporarily_unavailable',
      'login-unavailable',
    ],
    ['another issuer answers', { iss: 'https://evil.example' }, {}, 'server_error', 'login-not-accepted'],
    ['the code is unknown', { code: 'stolen' }, {}, 'server_error', 'login-code-refused'],
    ['a scope is unknown', { error: 'invalid_scope' }, {}, 'server_error', 'login-request-refused'],
    ['the ID token is not signed', {}, { alg: 'none' }, 'server_error', 'login-answer-unreadable'],
    ['the ID token is signed by the secret', {}, { alg: 'HS256' }, 'server_error', 'login-answer-unreadable'],
    ['the nonce is another', {}, { nonce: 'other' }, 'server_error', 'login-not-accepted'],
    ['the ID token is for another client', {}, { audience: 'other' }, 'server_error', 'login-not-accepted'],
    ['the ID token is of another issuer', {}, { issuer: 'https://evil.example' }, 'server_error', 'login-not-accepted'],
    ['the ID token has expired', {}, { expiresIn: -60 }, 'server_error', 'login-not-accepted'],
    ['the ID token is signed by another key', {}, { key: 'other' }, 'server_error', 'login-not-accepted'],
    ['the claims are of another person', {}, { subjectOfUserInfo: 'u-2' }, 'server_error', 'login-not-accepted'],
    ['the provider is down', {}, { isDown: true }, 'temporarily_unavailable', 'login-unavailable'],
  ] as const)('ends the request when %s', async (_what, changes, lies, error, reason) => {
    const { error: refused, ...others } = changes as Record<string, string>;
    const { reply } = await back(refused === undefined ? others : { error: refused, code: '' }, lies);
    const parameters = wayBack(reply);
    expect([parameters.get('error'), parameters.get('code')]).toEqual([error, null]);
    expect(await reasonOfLatest()).toContain(reason);
  });

  it.each([
    ['less surely than the settings demand', { acr: 'password' }, 'access_denied', 'login-too-weak'],
    ['too long ago', { auth_time: 1 }, 'server_error', 'login-not-accepted'],
  ])('ends the request when the person logged in %s', async (_what, claims, error, reason) => {
    provider.claims = { ...erika, ...claims };
    expect(wayBack((await back()).reply).get('error')).toBe(error);
    expect(await reasonOfLatest()).toContain(reason);
  });

  it.each<[string, { status: number; body: Json | string }, string, Json]>([
    [
      'the client',
      { status: 401, body: { error: 'invalid_client', error_description: `no\r\nlevel: ${secret}` } },
      'login-client-refused',
      { status: 401, error: 'invalid_client', words: 'no level: …' },
    ],
    [
      'the proof',
      { status: 400, body: { error: 'invalid_request', error_description: 'DPoP proof is missing' } },
      'login-binding-refused',
      { status: 400, error: 'invalid_request', words: 'DPoP proof is missing' },
    ],
    [
      'the request',
      { status: 400, body: { error: 'invalid_target', error_description: 'x '.repeat(9_000) } },
      'login-request-refused',
      { status: 400, error: 'invalid_target', words: `${'x '.repeat(150)}…` },
    ],
    [
      'in HTML',
      { status: 403, body: `<html>${secret}${'<p>'.repeat(9_000)}` },
      'login-answer-unreadable',
      { status: 403, words: 'unexpected response content-type' },
    ],
  ])('says in timeline and log why the provider refused %s', async (_what, refusal, reason, said) => {
    const warn = jest.spyOn(Logger.prototype, 'warn');
    expect(wayBack((await back({}, { refusal })).reply).get('error')).toBe('server_error');
    expect(await reasonOfLatest()).toContain(reason);
    const logged = warn.mock.calls.map(([fields]) => fields as Json).filter(({ event }) => event === 'login.failed');
    warn.mockRestore();
    expect(logged).toEqual([{ event: 'login.failed', reason, ...said }]);
    expect(JSON.stringify(logged)).not.toContain(secret);
  });

  it('is shown as failing in the readiness while the provider refuses the client', async () => {
    const login = async () => (answered(200, await get(`${service.url}/readyz`))['details'] as Json)['login'];
    await eventually(async () => isDeepStrictEqual(await login(), { status: 'up', provider: 'usable' }));
    // What a browser brings back, anybody can write.
    await back({ error: 'unauthorized_client', code: '' });
    expect(await login()).toEqual({ status: 'up', provider: 'usable' });
    await back({}, { refusal: { status: 401, body: { error: 'invalid_client' } } });
    expect(await login()).toEqual({ status: 'up', provider: 'failing' });
    await back();
    expect(await login()).toEqual({ status: 'up', provider: 'usable' });
  });

  it('goes on by a new key of the provider at once', async () => {
    expect((await back()).browser.state).toBe('consent');
    provider.rotateKey();
    expect((await back()).browser.state).toBe('consent');
    expect(wayBack((await back({}, { keyId: 'made up' })).reply).get('error')).toBe('server_error');
    expect(await reasonOfLatest()).toContain('login-answer-unreadable');
  });

  it('of a browser goes on in no other one, and with no state that was made up', async () => {
    const { browser, login } = await begun();
    const callback = provider.loggedIn(login);
    const shown = async (address: string, by: FormBrowser): Promise<unknown[]> => {
      const reply = await by.open(address);
      return [reply.status, by.state, reply.headers.get('location')];
    };
    const redeemed = provider.redeemed.length;
    expect(await shown(callback, new FormBrowser(service.url))).toEqual([403, 'other-browser', null]);
    expect(await shown(callback.replace(/state=../, 'state=AA'), browser)).toEqual([400, 'ended', null]);
    const state = new URL(callback).searchParams.get('state') ?? '';
    const altered = callback.replace(state, `${state.slice(0, -6)}AAAAAA`);
    expect(await shown(altered, browser)).toEqual([403, 'other-browser', null]);
    expect(await shown(`${service.url}/authorize/login/callback`, browser)).toEqual([400, 'ended', null]);
    expect(provider.redeemed.length).toBe(redeemed);
    await browser.open(callback);
    expect(browser.state).toBe('consent');
  });

  it('lets only the expected person accept an offer, which stays open', async () => {
    const { asked, offerId } = await expecting({ claim: 'student_number', value: '4711' });
    provider.claims = { ...erika, sub: 'u-2', given_name: 'Max', student_number: '4712' };
    const { browser } = await back({}, {}, asked);
    expect(browser.state).toBe('unexpected');
    expect(browser.shown?.text).not.toMatch(/Max|4712/);
    // A reload, or the way back once more, asks nobody to log in: the page stays.
    expect([(await browser.open(browser.address)).status, browser.state]).toEqual([200, 'unexpected']);
    expect(await reasonOfLatest()).toContain('unexpected-person');
    expect(answered(200, await get(`${service.url}/v0/offers/${offerId}`))).toMatchObject({ state: 'Open' });

    const prompts: unknown[] = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      const login = (await browser.press('anew')).headers.get('location') ?? '';
      prompts.push(new URL(login).searchParams.get('prompt'));
      if (attempt === 2) provider.claims = erika;
      await browser.open(provider.loggedIn(login));
    }
    expect([prompts, browser.state]).toEqual([['login', 'select_account', 'login'], 'consent']);
    expect(wayBack(await browser.press('approve')).get('code')).not.toBeNull();
    expect(JSON.stringify(await storedRows(service))).not.toContain('4711');
  });

  it('of another person than the expected one can end with the way back to the wallet', async () => {
    const { asked } = await expecting({ claim: 'student_number', value: '1' });
    const { browser } = await back({}, {}, asked);
    expect(wayBack(await browser.press('reject')).get('error')).toBe('access_denied');
    expect(await reasonOfLatest()).toMatch(/"refused".*unexpected-person/);
  });

  it('that says nothing of the expected claim is not taken for one of another person', async () => {
    const { asked, offerId } = await expecting({ claim: 'library_card', value: '1' });
    const { browser } = await back({}, {}, asked);
    expect(browser.state).toBe('unproven');
    const { timeline } = answered(200, await get(`${service.url}/v0/offers/${offerId}`));
    expect(JSON.stringify(timeline)).toMatch(/has no library_card.*expected-claim-missing/);
    expect(JSON.stringify(timeline)).not.toContain('unexpected-person');
  });

  it('can be taken back for one of somebody else, and nothing of the first person is shown any more', async () => {
    const { browser } = await back();
    const [consent, first] = [browser.address, browser.cookie];
    expect(browser.shown?.text).toContain('Erika');
    const left = /data-leave-after="(6[0-5]\d|660)" data-leave-to="\/authorize\?/;
    expect(browser.shown?.text).toMatch(left);
    expect(browser.shown?.text).toMatch(
      /<noscript><meta http-equiv="refresh" content="(6[0-5]\d|660); url=\/authorize\?/,
    );
    // The browser of the conformance suite sleeps for as long as this says.
    expect(browser.shown?.headers.get('refresh')).toBeNull();
    const login = (await browser.press('anew')).headers.get('location') ?? '';
    expect(new URL(login).searchParams.get('prompt')).toBe('login');
    // Neither the page nor the way back of the first login leads to what is known of her.
    expect((await browser.open(consent)).headers.get('location')).toMatch(`${provider.issuer}/authorize`);
    provider.claims = { ...erika, sub: 'u-2', given_name: 'Max' };
    await browser.open(provider.loggedIn(login));
    expect(browser.shown?.text).toContain('Max');
    expect(browser.shown?.text).not.toContain('Erika');
    // The form of the page that was left open in another tab agrees to nothing.
    const form = browser.form();
    const late = await postForm(
      `${service.url}${form.action}`,
      Object.entries({ ...form.fields, approve: 'approve' }),
      {
        cookie: first,
      },
    );
    expect(late.status).toBe(403);
    expect(wayBack(await browser.press('approve')).get('code')).not.toBeNull();
  });
});
