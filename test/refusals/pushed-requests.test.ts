import { type Authorizations, AUTHORIZATIONS } from '@app/authorization/src/authorization';
import { RegisteredClients } from '@app/authorization/src/clients/registered-clients';
import { EventStore, SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { expectRefusal } from '../support/http/refusals';
import { answered, get, postForm, postJson, type Reply } from '../support/http/requests';
import { serviceOfFile } from '../support/service/service-of-file';
import { storedRows } from '../support/database/stored-rows';
import { FormBrowser, pageOf, type PushedRequest, pushRequest, wayBack } from '../support/wallets/authorization';

const service = serviceOfFile();
afterEach(() => jest.restoreAllMocks());

const unknownDetails = JSON.stringify([{ type: 'openid_credential', credential_configuration_id: 'unknown' }]);

describe('a pushed authorization request', () => {
  const par = () => `${service.url}/openid4vci/par`;

  it.each<[string, number, string, Record<string, string | undefined>]>([
    ['names no client', 400, 'invalid_request', { client_id: undefined }],
    ['names a client by what nobody sees', 400, 'invalid_request', { client_id: 'knaB\u202e' }],
    ['asks for scopes that nothing here has', 400, 'invalid_scope', { scope: 'unknown openid' }],
    ['asks for nothing', 400, 'invalid_scope', { scope: undefined }],
    [
      'asks for an unknown configuration',
      400,
      'invalid_authorization_details',
      { authorization_details: unknownDetails },
    ],
    ['has details that are no JSON', 400, 'invalid_authorization_details', { authorization_details: '[{' }],
    ['asks for a token', 400, 'unsupported_response_type', { response_type: 'token' }],
    ['has no code_challenge', 400, 'invalid_request', { code_challenge: undefined }],
    ['has no redirect_uri', 400, 'invalid_request', { redirect_uri: undefined }],
    ['leads to http', 400, 'invalid_request', { redirect_uri: 'http://wallet.example/cb' }],
    ['leads to a script', 400, 'invalid_request', { redirect_uri: 'javascript:alert(1)' }],
    ['brings a request_uri', 400, 'invalid_request', { request_uri: 'urn:ietf:params:oauth:request_uri:x' }],
    ['is for another resource', 400, 'invalid_target', { resource: 'https://api.example' }],
    ['is larger than 64 KiB', 413, 'invalid_request', { login_hint: 'x'.repeat(70_000) }],
  ])('that %s is refused, and nothing is stored', async (_what, status, error, changes) => {
    const before = await storedRows(service);
    const { answer } = await pushRequest(service.url, { state: 'a-secret-of-the-wallet', ...changes });
    expectRefusal(answer, status, error);
    expect(answer.text).not.toContain('a-secret-of-the-wallet');
    expect(await storedRows(service)).toEqual(before);
  });

  it('is a form that is posted, with each parameter once', async () => {
    const read = await get(par());
    expect([read.status, read.headers.get('allow')]).toEqual([405, 'POST']);
    expectRefusal(await postJson(par(), { client_id: 'x' }), 400, 'invalid_request');
    for (const name of ['state', 'scope', 'client_id']) {
      expectRefusal(
        await postForm(par(), `client_id=x&response_type=code&${name}=a&${name}=a`),
        400,
        'invalid_request',
      );
    }
  });

  it('can be sent by a page of a wallet', async () => {
    const { answer } = await pushRequest(service.url, {}, { origin: 'https://wallet.example' });
    answered(201, answer);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });
});

/** A browser on the consent page of a request. */
async function askedToAgree(pushed: PushedRequest, username = 'ada.lovelace'): Promise<FormBrowser> {
  const browser = new FormBrowser(service.url);
  await browser.open(pushed.page);
  await browser.press('login', { username, password: 'any' });
  expect(browser.state).toBe('consent');
  return browser;
}

/** The address leads nowhere: a page says so, and nobody is sent anywhere. */
function expectEnded(reply: Reply | undefined, state = 'ended'): void {
  expect([reply?.status, reply?.headers.get('location')]).toEqual([400, null]);
  expect(reply?.headers.get('content-type')).toMatch(/^text\/html/);
  expect(reply?.text).toContain(`<main data-state="${state}"`);
}

describe('the authorization endpoint', () => {
  it.each<[string, (pushed: PushedRequest) => string]>([
    ['without request_uri', () => `${service.url}/authorize?client_id=https%3A%2F%2Fwallet.example&response_type=code`],
    ['without a client', ({ page }) => page.replace(/client_id=[^&]*&/, '')],
    [
      'of another client',
      ({ answer }) => pageOf(service.url, 'https://other.example', String(answer.json['request_uri'])),
    ],
    ['with an altered request_uri', ({ page }) => page.slice(0, -1) + (page.endsWith('A') ? 'B' : 'A')],
    [
      'with a request_uri of elsewhere',
      () => pageOf(service.url, 'https://wallet.example', 'https://wallet.example/request'),
    ],
    ['without anything', () => `${service.url}/authorize`],
  ])('%s shows a page and sends nobody anywhere', async (_what, address) => {
    const pushed = await pushRequest(service.url);
    const given = new URL(address(pushed));
    given.searchParams.set('redirect_uri', 'https://attacker.example');
    given.searchParams.set('state', 'x');
    const isUnpushed = given.searchParams.has('client_id') && !given.searchParams.has('request_uri');
    expectEnded(await get(given.href), isUnpushed ? 'unpushed' : 'ended');
  });

  it('sends a request that was not pushed back to a registered client, at an address of it', async () => {
    const redirect_uri = 'https://registered.example/cb';
    const client = { clientId: 'registered', method: 'none', redirectUris: [redirect_uri] } as const;
    const find = (clientId: string) => (clientId === 'registered' ? client : undefined);
    jest.spyOn(service.app.get(RegisteredClients), 'find').mockImplementation(find);
    const unpushed = { response_type: 'code', client_id: 'registered', redirect_uri, state: 'a b' };
    const open = (changes = {}) =>
      get(`${service.url}/authorize?${new URLSearchParams({ ...unpushed, ...changes }).toString()}`);
    const reply = await open();
    expect(reply.status).toBe(303);
    expect(reply.headers.get('location')).toBe(
      `${redirect_uri}?error=invalid_request&state=a%20b&iss=${encodeURIComponent(`${service.url}/openid4vci`)}`,
    );
    expectEnded(await open({ redirect_uri: `${redirect_uri}/` }), 'unpushed');
    expectEnded(await open({ client_id: 'unknown' }), 'unpushed');
    expectEnded(await open({ request_uri: 'urn:ietf:params:oauth:request_uri:x' }));
  });

  it('opens a request within a minute only', async () => {
    const clock = jest.spyOn(service.app.get(EventStore), 'clock');
    clock.mockImplementation(() => new Date(Date.now() - 61_000));
    const late = await pushRequest(service.url);
    clock.mockRestore();
    expectEnded(await get(late.page));
  });

  it('ends for a person who answers the page after ten minutes', async () => {
    const agreeing = async () => askedToAgree(await pushRequest(service.url));
    const authorizations = service.app.get<Authorizations>(AUTHORIZATIONS);
    const read = authorizations.loadByHandle.bind(authorizations);
    /** As if the database found the request that much later. */
    const after = async (minutes: number, answer: () => Promise<Reply>): Promise<Reply> => {
      const reads = jest.spyOn(authorizations, 'loadByHandle').mockImplementation(async (kind, hash) => {
        const found = await read(kind, hash);
        return found && { ...found, now: new Date(found.now.getTime() + minutes * 60_000) };
      });
      return answer().finally(() => {
        reads.mockRestore();
      });
    };
    const [quick, slow, unwilling] = [await agreeing(), await agreeing(), await agreeing()];
    const unnamed = new FormBrowser(service.url);
    await unnamed.open((await pushRequest(service.url)).page);
    expect(wayBack(await after(9, () => quick.press('approve'))).get('code')).not.toBeNull();
    expectEnded(await after(12, () => slow.press('approve')));
    expectEnded(await after(12, () => unwilling.press('reject')));
    expectEnded(await after(12, () => unnamed.press('login', { username: 'ada' })));
  });

  it('takes nothing from its address but the request and its client', async () => {
    const { page, state } = await pushRequest(service.url);
    const browser = new FormBrowser(service.url);
    const outside = { state: 'outside', scope: 'unknown', redirect_uri: 'https://attacker.example' };
    await browser.open(`${page}&${new URLSearchParams(outside).toString()}`);
    await browser.press('login', { username: 'ada', redirect_uri: 'https://attacker.example', state: 'outside' });
    const back = wayBack(await browser.press('approve', { redirect_uri: 'https://attacker.example' }));
    expect(back.get('state')).toBe(state);
  });

  it('returns a state of 2,000 characters as it was, and shows it nowhere', async () => {
    const state = `&"<script>+%20 ${'s'.repeat(1985)}`;
    const pushed = await pushRequest(service.url, { state });
    const browser = await askedToAgree(pushed);
    expect(browser.shown?.text).not.toContain('s'.repeat(20));
    const reply = await browser.press('approve');
    expect(wayBack(reply).get('state')).toBe(state);
    // Also for wallets that do not read a plus sign as a space.
    const raw = /&state=([^&]*)/.exec(reply.headers.get('location') ?? '')?.[1] ?? '';
    expect(decodeURIComponent(raw)).toBe(state);
    expect(reply.text).toBe('');
    expect([reply.headers.get('cache-control'), reply.headers.get('referrer-policy')]).toEqual([
      'no-store',
      'no-referrer',
    ]);
  });

  it('shows the name of a wallet as text', async () => {
    const browser = await askedToAgree(await pushRequest(service.url, { client_id: '<b onclick="x">Wallet</b>' }));
    expect(browser.shown?.text).not.toContain('<b onclick');
    expect(browser.shown?.text).toContain('Wallet&#60;/b&#62; (wallet.example)');
  });

  it('shows where claims of the person would turn the page around, and leaves their script as it is', async () => {
    const shown = async (name: string) =>
      (await askedToAgree(await pushRequest(service.url), `ada.${name}`)).shown?.text ?? '';
    const text = await shown('\u202eecalevol');
    expect(text).toContain('<dd>\ufffdecalevol</dd>');
    expect(text).not.toContain('\u202e');
    expect(await shown('می\u200cخواهم')).toContain('<dd>می\u200cخواهم</dd>');
  });

  it('lets no site frame its pages, keeps them out of caches, and its forms lead back to wallets', async () => {
    const { page } = await pushRequest(service.url);
    const { headers } = await get(page);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining(["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"]),
    );
    expect(policy).not.toMatch(/form-action|script-src|unsafe/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    const [cookie = ''] = headers.getSetCookie();
    expect(cookie).toMatch(/^authorization-\w+=[\w-]{43,}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
  });
});

describe('what is stored of an authorization', () => {
  it('holds neither code nor state nor what is known of the person in the clear', async () => {
    const state = 'a-state-that-only-the-wallet-knows';
    const browser = await askedToAgree(await pushRequest(service.url, { state }), 'zwergspitz.maus');
    expect(browser.shown?.text).toContain('<dd>Maus</dd>');
    const code = wayBack(await browser.press('approve')).get('code') ?? 'there is no code';
    const stored = await service.app.get<SqlDriver>(SQL_DRIVER).query<{ data: string }>({
      name: 'data-of-events',
      text: 'select data::text from events',
      values: [],
    });
    const data = stored.map((row) => row.data).join();
    expect(data).toContain('https://wallet.example/cb');
    for (const secret of [state, 'Maus', code]) expect(data).not.toContain(secret);
  });
});

describe('a form of the authorization endpoint', () => {
  /** Posts the form that a browser shows as somebody else. */
  async function posted(browser: FormBrowser, fields: Record<string, string>, headers = {}): Promise<Reply> {
    const form = browser.form();
    return postForm(`${service.url}${form.action}`, Object.entries({ ...form.fields, ...fields }), headers);
  }

  it('that another browser posts is refused, and what was asked stays open', async () => {
    const pushed = await pushRequest(service.url);
    const browser = await askedToAgree(pushed);
    const other = new FormBrowser(service.url);
    await other.open(pushed.page);
    expect(other.state).toBe('login');
    expect(other.shown?.text).not.toContain('Lovelace');
    const cookie = other.cookie;
    const own = browser.cookie;
    for (const [fields, headers] of [
      [{}, {}],
      [{}, { cookie }],
      [{ form_token: other.form().fields['form_token'] ?? '' }, { cookie: own }],
      [{ form_token: '' }, { cookie: own }],
      [{ form_token: 'A'.repeat(43) }, { cookie: own }],
    ] as const) {
      for (const button of ['approve', 'reject', 'login']) {
        const reply = await posted(browser, { ...fields, [button]: button, username: 'mallory' }, headers);
        expect([reply.status, reply.headers.get('location')]).toEqual([403, null]);
        expect(reply.text).toContain('This does not belong to your page');
      }
    }
    expect(wayBack(await browser.press('approve')).get('code')).not.toBeNull();
  });

  it('is not taken from whoever has not shown who they are', async () => {
    const pushed = await pushRequest(service.url);
    const browser = new FormBrowser(service.url);
    await browser.open(pushed.page);
    await browser.press('login', { username: '' });
    expect(browser.state).toBe('login');
    const { fields } = browser.form();
    const agreed = Object.entries({ ...fields, approve: 'approve' });
    const reply = await postForm(`${service.url}/authorize/decision`, agreed, { cookie: browser.cookie });
    expect(reply.headers.get('location')).toBeNull();
    expect(reply.text).toContain('id="login"');
  });

  it('is taken once, in however many browsers the page was opened', async () => {
    const pushed = await pushRequest(service.url);
    const browsers: FormBrowser[] = [];
    for (const name of ['ada', 'grace', 'alan']) browsers.push(await askedToAgree(pushed, name));
    // Whose person was identified last may agree; the others are asked again who they are.
    const replies: Reply[] = [];
    for (const browser of browsers) replies.push(await browser.press('approve'));
    expect(replies.filter(({ status }) => status === 303)).toHaveLength(1);
    expectEnded(await get(pushed.page));
    for (const browser of browsers.filter(({ state }) => state === 'login')) {
      expectEnded(await browser.press('login', { username: 'late' }));
    }
  });

  it('that is sent twice at once gives one code', async () => {
    const browser = await askedToAgree(await pushRequest(service.url));
    const again = () => posted(browser, { approve: 'approve' }, { cookie: browser.cookie });
    const replies = await Promise.all([again(), again(), again()]);
    expect(replies.map(({ status }) => status)).toEqual([303, 303, 303]);
    expect(new Set(replies.map((reply) => wayBack(reply).get('code'))).size).toBe(1);
    expectEnded(await posted(browser, { reject: 'reject' }, { cookie: browser.cookie }));
  });

  it('keeps the language that the person has chosen', async () => {
    const pushed = await pushRequest(service.url);
    const browser = new FormBrowser(service.url);
    await browser.open(`${pushed.page}&language=de`);
    expect(browser.shown?.text).toContain('<html lang="de" dir="ltr">');
    await browser.press('login', { username: 'ada' });
    expect([browser.state, browser.shown?.headers.get('content-language')]).toEqual(['consent', 'de']);
    const decide = (button: string) => posted(browser, { [button]: button }, { cookie: browser.cookie });
    await decide('approve');
    const gone = await decide('reject');
    expect([gone.status, gone.headers.get('content-language')]).toEqual([400, 'de']);
    // Nothing that answers a form can be opened again in another language.
    expect(gone.text).not.toContain('hreflang');
  });

  it('has an address that shows a page to whoever opens it', async () => {
    for (const action of ['login', 'decision']) expectEnded(await get(`${service.url}/authorize/${action}`));
  });
});
