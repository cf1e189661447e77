import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { OrganisationProvider } from '../support/counterparts/organisation-provider';
import { ConsoleBrowser } from '../support/http/console-browser';
import { answered, get, type Json, send } from '../support/http/requests';
import { type RunningService, startService } from '../support/service/service';

const key = 'a-key-of-those-who-break-the-glass';
let provider: OrganisationProvider;
let service: RunningService;
beforeAll(async () => {
  provider = await OrganisationProvider.start({ consoleUrls: () => [service.url] });
  provider.people.set('erika', { name: 'Erika Mustermann', groups: ['registrars', 'something-else'] });
  provider.people.set('max', { name: 'Max', groups: ['heads'] });
  provider.people.set('nobody', { name: 'Nobody' });
  service = await startService({
    ...provider.settings,
    SERVICE__CONSOLE__OPENID__ROLES: 'clerk=registrars,administrator=heads',
    SERVICE__MANAGEMENT__API_KEYS: key,
  });
});
beforeEach(() => {
  Object.assign(provider, { person: 'erika', isDown: false, isCancelling: false, loggedInAgo: 0 });
});
afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const signedIn = (person = 'erika') => ConsoleBrowser.of(person, provider, service.url);

let statements = 0;
const sql = <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
  service.app.get<SqlDriver>(SQL_DRIVER).query<Row>({ name: `test-${++statements}`, text, values });

/** What was read of sessions is believed for five seconds. */
const forgetting = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 5_100));

describe('a person who signs in', () => {
  it('is known by a cookie, and may do what their role may', async () => {
    const browser = await signedIn();
    expect(browser.address).toBe(`${service.url}/console`);
    expect(await browser.whoAmI()).toMatchObject({
      ...{ subject: `oauth:${provider.issuer}|erika`, name: 'Erika Mustermann', roles: ['clerk'], isFresh: true },
    });
    expect((await browser.call('GET', '/v0/offers')).status).toBe(200);
    expect((await browser.call('GET', '/v0/audit')).status).toBe(403);
    expect((await browser.call('POST', '/v0/templates', { title: 'x', schema: {} })).status).toBe(403);
    expect((await get(`${service.url}/console/sign-in/options`)).json).toEqual({ signIn: true });
  });

  it('gets no token: only a random number that is stored as its hash', async () => {
    const browser = await signedIn();
    const { cookie } = browser;
    expect(cookie).toMatch(/(^|; )console=[\w-]{43}(;|$)/);
    const value = /console=([\w-]{43})/.exec(cookie)?.[1] ?? '';
    const [row] = await sql<Json>(`select row_to_json(console_sessions)::text as all from console_sessions`);
    expect(JSON.stringify(row)).not.toContain(value);
    expect(JSON.stringify(row)).not.toContain('Mustermann');
  });

  it('gets a cookie that no other site and no script uses', async () => {
    const browser = new ConsoleBrowser(service.url);
    await browser.open(`${service.url}/console/sign-in/start`, '/console/sign-in/callback');
    const reply = await send(browser.address, { headers: { cookie: browser.cookie } });
    expect(reply.headers.getSetCookie()[0]).toMatch(/; Path=\/; Max-Age=36000; HttpOnly; SameSite=Strict$/);
  });

  it('is named in the audit by the stable subject', async () => {
    const browser = await signedIn();
    const opened = await browser.call('POST', '/v0/offers', { offerId: 'by-erika' });
    expect([201, 200, 409, 404, 422]).toContain(opened.status);
    const { items } = answered(200, await get(`${service.url}/v0/audit?action=sessions.begin`, { 'x-api-key': key }));
    expect((items as Json[])[0]).toMatchObject({ principal: `oauth:${provider.issuer}|erika`, outcome: 'ok' });
  });

  it('without a group has no role and may do nothing', async () => {
    const browser = await signedIn('nobody');
    expect(await browser.whoAmI()).toMatchObject({ name: 'Nobody', roles: [], scopes: [] });
    expect((await browser.call('GET', '/v0/templates')).status).toBe(403);
  });

  it('who goes back at the provider is not signed in', async () => {
    provider.isCancelling = true;
    const browser = await signedIn();
    expect(browser.address).toBe(`${service.url}/console#/sign-in/cancelled`);
  });

  it('is told when the provider is down, and others go on', async () => {
    const before = await signedIn();
    const browser = new ConsoleBrowser(service.url);
    await browser.open(`${service.url}/console/sign-in/start`, '/console/sign-in/callback');
    provider.isDown = true;
    await browser.open(browser.address);
    expect(browser.address).toBe(`${service.url}/console#/sign-in/unavailable`);
    expect((await before.call('GET', '/v0/offers')).status).toBe(200);
  });
});

describe('the way back from the provider', () => {
  async function comingBack(): Promise<ConsoleBrowser> {
    const browser = new ConsoleBrowser(service.url);
    await browser.open(`${service.url}/console/sign-in/start`, '/console/sign-in/callback');
    return browser;
  }

  it('leads in once', async () => {
    const browser = await comingBack();
    const { address } = browser;
    await browser.open(address);
    expect(browser.address).toBe(`${service.url}/console`);
    await browser.open(address);
    expect(browser.address).toBe(`${service.url}/console#/sign-in/not-started`);
  });

  it('leads in the browser alone that began', async () => {
    const { address } = await comingBack();
    const other = new ConsoleBrowser(service.url);
    await other.open(address);
    expect(other.address).toContain('#/sign-in/not-started');
    expect(other.cookie).toBe('');
  });

  it('does not lead in from another issuer', async () => {
    const browser = await comingBack();
    const address = new URL(browser.address);
    address.searchParams.set('iss', 'https://login.elsewhere.example');
    await browser.open(address.href);
    expect(browser.address).toContain('#/sign-in/failed');
  });

  it('takes no session that somebody else has laid there', async () => {
    const planted = `console=${'p'.repeat(43)}`;
    const browser = new ConsoleBrowser(service.url);
    browser.cookie = planted;
    await browser.signIn();
    expect(await browser.whoAmI()).toMatchObject({ name: 'Erika Mustermann' });
    expect(browser.cookie).not.toContain(planted);
    const thief = new ConsoleBrowser(service.url);
    thief.cookie = planted;
    expect((await thief.call('GET', '/v0/session')).status).toBe(401);
  });

  it('gives another session each time, and ends the one before', async () => {
    const browser = await signedIn();
    const before = browser.cookie;
    await browser.signIn();
    expect(browser.cookie).not.toBe(before);
    const thief = new ConsoleBrowser(service.url);
    thief.cookie = before;
    expect((await thief.call('GET', '/v0/session')).status).toBe(401);
  });
});

describe('a request with the cookie', () => {
  it.each<[string, Record<string, string>]>([
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from a sibling of the host', { 'sec-fetch-site': 'same-site' }],
    ['without the header of the console', { 'x-console': '' }],
    ['with JSON as plain text', { 'content-type': 'text/plain' }],
    ['by a form', { 'content-type': 'application/x-www-form-urlencoded' }],
  ])('%s changes nothing', async (_what, headers) => {
    const browser = await signedIn();
    const reply = await browser.call('POST', '/v0/session/sign_out', {}, headers);
    expect([reply.status, reply.json['type']]).toEqual([403, `${service.url}/problems/forbidden`]);
    expect((await browser.call('GET', '/v0/session')).status).toBe(200);
  });

  it('of a browser without fetch metadata needs the right origin', async () => {
    const { cookie } = await signedIn();
    const ask = (origin: string) =>
      send(`${service.url}/v0/session/extend`, { method: 'POST', headers: { cookie, 'x-console': '1', origin } });
    expect((await ask('https://elsewhere.example')).status).toBe(403);
    expect((await ask(service.url)).status).toBe(200);
  });

  it('and a key is refused, as it cannot be told who calls', async () => {
    const browser = await signedIn();
    const reply = await browser.call('GET', '/v0/session', undefined, { 'x-api-key': key });
    expect([reply.status, reply.json['type']]).toEqual([400, `${service.url}/problems/several-credentials`]);
    expect((await get(`${service.url}/v0/session`, { 'x-api-key': key })).json['subject']).toContain('settings-key:');
  });

  it('that was made up is refused', async () => {
    const browser = new ConsoleBrowser(service.url);
    browser.cookie = `console=${'x'.repeat(43)}`;
    expect((await browser.call('GET', '/v0/session')).status).toBe(401);
  });
});

describe('a session', () => {
  it('ends by signing out, here or everywhere', async () => {
    const [one, other] = [await signedIn(), await signedIn()];
    const { cookie } = one;
    const out = answered(200, await one.call('POST', '/v0/session/sign_out', {}));
    expect(String(out['signOutUrl'])).toContain(`${provider.issuer}/session/end?`);
    expect(String(out['signOutUrl'])).not.toContain('id_token');
    one.cookie = cookie;
    expect((await one.call('GET', '/v0/session')).status).toBe(401);
    expect((await other.call('GET', '/v0/session')).status).toBe(200);
    const third = await signedIn();
    answered(200, await third.call('POST', '/v0/session/sign_out', { everywhere: true }));
    expect((await other.call('GET', '/v0/session')).status).toBe(401);
  });

  it('is ended by an administrator', async () => {
    const clerk = await signedIn();
    const subject = `oauth:${provider.issuer}|erika`;
    expect((await clerk.call('POST', '/v0/sessions/end', { subject })).status).toBe(403);
    const admin = await signedIn('max');
    const { items } = answered(200, await admin.call('GET', '/v0/sessions'));
    expect((items as Json[]).map((one) => one['subject'])).toContain(subject);
    answered(200, await admin.call('POST', '/v0/sessions/end', { subject }));
    expect((await clerk.call('GET', '/v0/session')).status).toBe(401);
  });

  it('ends after half an hour without its person, and cannot be made longer by SQL', async () => {
    const [idle, longer] = [await signedIn(), await signedIn('max')];
    await sql(`update console_sessions set seen_at = now() - interval '31 minutes' where subject like '%erika'`);
    await sql(`update console_sessions set ends_at = ends_at + interval '1 hour' where subject like '%max'`);
    await forgetting();
    expect((await idle.call('GET', '/v0/session')).status).toBe(401);
    expect((await longer.call('GET', '/v0/session')).status).toBe(401);
  });

  it('with other roles, written by SQL, is no session', async () => {
    const browser = await signedIn();
    await sql(`update console_sessions set roles = '{administrator}' where ended_at is null and subject like '%erika'`);
    await forgetting();
    expect((await browser.call('GET', '/v0/audit')).status).toBe(401);
  });

  it('that was put back from a backup after it had ended is none, nor one from the future', async () => {
    await sql(`delete from console_sessions`);
    const browser = await signedIn();
    const { cookie } = browser;
    await sql(`create table if not exists session_backup as select * from console_sessions`);
    answered(200, await browser.call('POST', '/v0/session/sign_out', {}));
    await sql(`delete from console_sessions`);
    await sql(`insert into console_sessions select * from session_backup`);
    await forgetting();
    const other = new ConsoleBrowser(service.url);
    other.cookie = cookie;
    expect((await other.call('GET', '/v0/session')).status).toBe(401);
    const next = await signedIn();
    await sql(`update console_sessions set seen_at = now() + interval '1 hour' where ended_at is null`);
    await forgetting();
    expect((await next.call('GET', '/v0/session')).status).toBe(401);
    await sql(`drop table session_backup`);
  });

  it('gets the roles of now every quarter of an hour, and ends with the account', async () => {
    const browser = await signedIn();
    const due = `update console_sessions set roles_read_at = now() - interval '16 minutes' where ended_at is null`;
    provider.people.set('erika', { name: 'Erika Mustermann', groups: ['heads'] });
    await sql(due);
    await forgetting();
    expect((await browser.call('GET', '/v0/audit')).status).toBe(200);
    expect(await browser.whoAmI()).toMatchObject({ roles: ['administrator'] });
    provider.isDown = true;
    await sql(due);
    await forgetting();
    expect((await browser.call('GET', '/v0/audit')).status).toBe(200);
    provider.isDown = false;
    provider.people.delete('erika');
    await sql(due);
    await forgetting();
    const refused = await browser.call('GET', '/v0/audit');
    provider.people.set('erika', { name: 'Erika Mustermann', groups: ['registrars'] });
    expect(refused.status).toBe(401);
    // Coming back at the provider brings no session back.
    expect((await browser.call('GET', '/v0/session')).status).toBe(401);
  });
});

describe('what cannot be undone', () => {
  const end = (browser: ConsoleBrowser) =>
    browser.call('POST', '/v0/sessions/end', { subject: 'oauth:https://login.example|nobody' });

  it('needs a person who has lately proven who they are, and nothing else of a key', async () => {
    provider.loggedInAgo = 3_600_000;
    const browser = await signedIn('max');
    const refused = await end(browser);
    expect([refused.status, refused.json['type']]).toEqual([
      401,
      `${service.url}/problems/insufficient-user-authentication`,
    ]);
    expect(refused.headers.get('www-authenticate')).toContain('insufficient_user_authentication');
    expect(refused.headers.get('www-authenticate')).toContain('max_age="600"');
    const mail = () => browser.call('POST', '/v0/imports/nothing/deliveries', { channel: 'email' });
    expect((await mail()).status).toBe(401);
    const before = browser.cookie;
    provider.loggedInAgo = 0;
    await browser.open(`${service.url}/console/sign-in/start?again`);
    expect(browser.address).toBe(`${service.url}/console#/confirmed`);
    expect(browser.cookie).not.toBe(before);
    expect((await end(browser)).status).toBe(200);
    expect((await mail()).status).not.toBe(401);
    const byKey = await send(`${service.url}/v0/sessions/end`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ subject: 'nobody' }),
    });
    expect(byKey.status).toBe(200);
  });

  it('is not confirmed by another person', async () => {
    provider.loggedInAgo = 3_600_000;
    const browser = await signedIn('max');
    Object.assign(provider, { loggedInAgo: 0, person: 'erika' });
    browser.forget(provider.issuer);
    await browser.open(`${service.url}/console/sign-in/start?again`);
    expect(browser.address).toContain('#/sign-in/other-person');
    expect(await browser.whoAmI()).toMatchObject({ name: 'Max' });
    expect((await end(browser)).status).toBe(401);
  });
});
