import { generateKeyPairSync } from 'node:crypto';
import { OrganisationProvider } from '../support/counterparts/organisation-provider';
import { ConsoleBrowser } from '../support/http/console-browser';
import { type Json, type Reply, send } from '../support/http/requests';
import { type RunningService, startService } from '../support/service/service';

let provider: OrganisationProvider;
let service: RunningService;
beforeAll(async () => {
  provider = await OrganisationProvider.start({ consoleUrls: () => [service.url] });
  provider.people.set('erika', { name: 'Erika', groups: ['clerk'] });
  provider.people.set('max', { name: 'Max', groups: ['clerk'] });
  service = await startService(provider.settings);
});
afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const signedIn = (person = 'erika') => ConsoleBrowser.of(person, provider, service.url);
const isIn = async (browser: ConsoleBrowser): Promise<boolean> =>
  (await browser.call('GET', '/v0/session')).status === 200;

function tell(token: string): Promise<Reply> {
  return send(`${service.url}/console/sign-in/backchannel-logout`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ logout_token: token }).toString(),
  });
}

describe('who signs out at the provider', () => {
  it('is signed out of the session that began there, and of no other', async () => {
    const other = await signedIn();
    const [max, browser] = [await signedIn('max'), await signedIn()];
    await provider.signOut();
    expect([await isIn(browser), await isIn(other), await isIn(max)]).toEqual([false, true, true]);
  });

  it('is signed out everywhere where the provider names the person alone', async () => {
    const [one, max, other] = [await signedIn(), await signedIn('max'), await signedIn()];
    const reply = await tell(await provider.logoutToken({ sid: undefined }));
    expect([reply.status, reply.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect([await isIn(one), await isIn(other), await isIn(max)]).toEqual([false, false, true]);
  });

  it('is signed out where the provider names the session alone', async () => {
    const browser = await signedIn();
    expect((await tell(await provider.logoutToken({ sub: undefined }))).status).toBe(200);
    expect(await isIn(browser)).toBe(false);
  });

  // The provider has done all that there is to do: Back-Channel Logout 1.0 §2.8.
  it.each<[string, Json]>([
    ['an unknown session', { sid: 'of-nobody' }],
    ['an unknown session alone', { sid: 'of-nobody', sub: undefined }],
    ['the session of somebody else', { sub: 'max' }],
  ])('by %s signs nobody out', async (_what, claims) => {
    const browser = await signedIn();
    expect((await tell(await provider.logoutToken(claims))).status).toBe(200);
    expect(await isIn(browser)).toBe(true);
  });

  it.each<[string, Json]>([
    ['for another client', { aud: 'cards' }],
    ['of another issuer', { iss: 'https://login.elsewhere.example' }],
    ['that is of no event', { events: undefined }],
    ['of another event', { events: { 'https://example.org/event': {} } }],
    ['that is an ID token', { nonce: 'n' }],
    ['about nobody', { sub: undefined, sid: undefined }],
    ['without an id', { jti: undefined }],
    ['that has expired', { exp: Math.floor(Date.now() / 1000) - 600 }],
    ['of an hour ago', { iat: Math.floor(Date.now() / 1000) - 3600 }],
    ['of the future', { iat: Math.floor(Date.now() / 1000) + 3600 }],
  ])('is not signed out by a token %s', async (_what, claims) => {
    const browser = await signedIn();
    const reply = await tell(await provider.logoutToken(claims));
    expect([reply.status, reply.json['error']]).toEqual([400, 'invalid_request']);
    expect(await isIn(browser)).toBe(true);
  });

  it('is not signed out by a token of another key, or by anything else', async () => {
    const browser = await signedIn();
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const [header = '', payload = ''] = (await provider.logoutToken()).split('.');
    const unsigned = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
    for (const token of [
      await provider.logoutToken({}, privateKey),
      `${header}.${payload}.`,
      `${unsigned}.${payload}.`,
      '',
    ])
      expect((await tell(token)).status).toBe(400);
    expect(await isIn(browser)).toBe(true);
  });

  it('is not signed out again by a token that was used', async () => {
    await signedIn();
    const token = await provider.logoutToken({ sid: undefined });
    expect((await tell(token)).status).toBe(200);
    const browser = await signedIn();
    expect((await tell(token)).status).toBe(400);
    expect(await isIn(browser)).toBe(true);
  });
});
