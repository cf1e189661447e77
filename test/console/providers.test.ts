import { OrganisationProvider } from '../support/counterparts/organisation-provider';
import { ConsoleBrowser } from '../support/http/console-browser';
import { get, send } from '../support/http/requests';
import { type RunningService, startService } from '../support/service/service';

let provider: OrganisationProvider;
let service: RunningService;
afterEach(async () => {
  await service.stop();
  await provider.stop();
});

it('a provider that gives no refresh token lets people in for an hour', async () => {
  provider = await OrganisationProvider.start({ consoleUrls: () => [service.url], refreshTokens: false });
  provider.people.set('erika', { name: 'Erika', groups: ['clerk'] });
  service = await startService(provider.settings);
  const browser = new ConsoleBrowser(service.url);
  await browser.open(`${service.url}/console/sign-in/start`, '/console/sign-in/callback');
  const reply = await send(browser.address, { headers: { cookie: browser.cookie } });
  expect(reply.headers.getSetCookie()[0]).toContain('Max-Age=3600;');
  await browser.signIn();
  const { now, lastsUntil } = await browser.whoAmI();
  const seconds = (Date.parse(String(lastsUntil)) - Date.parse(String(now))) / 1000;
  expect(seconds).toBeLessThanOrEqual(3600);
  expect(seconds).toBeGreaterThan(3000);
});

it('a provider that wants the key of the client in place of a secret gets it', async () => {
  provider = await OrganisationProvider.start({ consoleUrls: () => [service.url], privateKeyJwt: true });
  provider.people.set('erika', { name: 'Erika', groups: ['clerk'] });
  service = await startService(provider.settings);
  const browser = new ConsoleBrowser(service.url);
  await browser.signIn();
  expect(await browser.whoAmI()).toMatchObject({ name: 'Erika', roles: ['clerk'] });
});

it('a console at an https address takes only a cookie that neither http nor another host can set', async () => {
  const url = 'https://issuer.example';
  provider = await OrganisationProvider.start({ consoleUrls: () => [url] });
  provider.people.set('erika', { name: 'Erika', groups: ['clerk'] });
  service = await startService({ ...provider.settings, SERVICE__APPLICATION_URL: url });
  const browser = new ConsoleBrowser(service.url);
  await browser.open(`${service.url}/console/sign-in/start`, url);
  expect(browser.cookie).toMatch(/^__Host-console-login=/);
  const { search } = new URL(browser.address);
  const reply = await send(`${service.url}/console/sign-in/callback${search}`, { headers: { cookie: browser.cookie } });
  const [set = ''] = reply.headers.getSetCookie();
  expect(set).toMatch(/^__Host-console=[\w-]{43}; Path=\/; Max-Age=36000; HttpOnly; SameSite=Strict; Secure$/);
  const [cookie = ''] = set.split(';', 1);
  const subjectBy = async (sent: string) =>
    (await get(`${service.url}/v0/session`, { cookie: sent, 'sec-fetch-site': 'same-origin' })).json['subject'];
  const ofErika = `oauth:${provider.issuer}|erika`;
  expect(await subjectBy(cookie)).toBe(ofErika);
  expect(await subjectBy(cookie.replace('__Host-', ''))).not.toBe(ofErika);
});
