import { OrganisationProvider } from '../support/counterparts/organisation-provider';
import { ConsoleBrowser } from '../support/http/console-browser';
import { answered, get, send } from '../support/http/requests';
import { type RunningService, startService } from '../support/service/service';

const key = 'a-key-of-those-who-make-the-tenants';
let provider: OrganisationProvider;
let service: RunningService;
const at = (tenant: string): string => `${service.url}/t/${tenant}`;
beforeAll(async () => {
  provider = await OrganisationProvider.start({ consoleUrls: () => [service.url, at('north'), at('south')] });
  provider.people.set('nora', { name: 'Nora', groups: ['administrator'], tenants: ['north'] });
  provider.people.set('both', { name: 'Bo', groups: ['administrator'], tenants: ['north', 'south'] });
  provider.people.set('here', { name: 'Hein', groups: ['administrator'], tenants: ['-'] });
  provider.people.set('nowhere', { name: 'Nobody', groups: ['administrator'] });
  service = await startService({
    ...provider.settings,
    SERVICE__CONSOLE__OPENID__TENANTS_CLAIM: 'tenants',
    SERVICE__MANAGEMENT__API_KEYS: key,
  });
  for (const tenantId of ['north', 'south']) {
    const made = await send(`${service.url}/v0/tenants`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ tenantId, displayName: tenantId }),
    });
    answered(201, made);
  }
});
afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const signedIn = (person: string, url: string) => ConsoleBrowser.of(person, provider, url);
const nameOf = (cookie: string): string => cookie.slice(0, cookie.indexOf('='));

describe('a person of a tenant', () => {
  it('signs in to its console, where nothing can be done with tenants', async () => {
    const browser = await signedIn('nora', at('north'));
    expect(browser.address).toBe(`${at('north')}/console`);
    const { name, scopes } = await browser.whoAmI();
    expect(name).toBe('Nora');
    expect(scopes).toEqual(expect.arrayContaining(['offers:write', 'audit:read']));
    expect(scopes).not.toEqual(expect.arrayContaining([expect.stringMatching(/^tenants:/)]));
    expect((await browser.call('GET', '/v0/offers')).status).toBe(200);
  });

  it.each([
    ['nora', 'that of another tenant', () => at('south')],
    ['nora', 'that of the issuer of the settings', () => service.url],
    ['here', 'that of a tenant', () => at('north')],
    ['nowhere', 'one that no claim names', () => at('north')],
    ['nowhere', 'that of the issuer of the settings without a claim', () => service.url],
  ])('%s does not get into %s', async (person, _what, url) => {
    const browser = await signedIn(person, url());
    expect(browser.address).toBe(`${url()}/console#/sign-in/not-here`);
    expect(browser.cookie).not.toMatch(/console(~[^=]+)?=/);
  });

  it('has a session there and at no other tenant, whatever name its cookie is given', async () => {
    const north = await signedIn('both', at('north'));
    const south = await signedIn('both', at('south'));
    const [ofNorth, ofSouth] = [north.cookie, south.cookie];
    expect(nameOf(ofNorth)).not.toBe(nameOf(ofSouth));
    const value = ofNorth.slice(ofNorth.indexOf('=') + 1);
    for (const cookie of [ofNorth, `${nameOf(ofSouth)}=${value}`, `console=${value}`]) {
      for (const url of [at('south'), service.url]) {
        expect((await get(`${url}/v0/offers`, { cookie })).status).toBe(401);
      }
    }
    expect((await get(`${at('north')}/v0/offers`, { cookie: ofNorth })).status).toBe(200);
  });

  it('does not come back from the provider to another tenant', async () => {
    provider.person = 'both';
    const [north, south] = [new ConsoleBrowser(at('north')), new ConsoleBrowser(at('south'))];
    for (const browser of [north, south])
      await browser.open(`${browser.url}/console/sign-in/start`, '/sign-in/callback');
    const swapped = north.address.replace('/t/north/', '/t/south/');
    const renamed = north.cookie.replace(nameOf(north.cookie), nameOf(south.cookie));
    for (const cookie of [north.cookie, renamed, south.cookie]) {
      const browser = new ConsoleBrowser(at('south'));
      browser.cookie = cookie;
      await browser.open(swapped);
      expect(browser.address).toBe(`${at('south')}/console#/sign-in/not-started`);
    }
    await north.open(north.address);
    expect(await north.whoAmI()).toMatchObject({ name: 'Bo' });
  });

  it('does not confirm who they are where they may enter no more', async () => {
    provider.people.set('moved', { name: 'Mo', groups: ['administrator'], tenants: ['north'] });
    const browser = await signedIn('moved', at('north'));
    provider.people.set('moved', { name: 'Mo', groups: ['administrator'], tenants: ['south'] });
    await browser.open(`${at('north')}/console/sign-in/start?again`);
    expect(browser.address).toBe(`${at('north')}/console#/sign-in/not-here`);
    expect((await browser.call('GET', '/v0/session')).status).toBe(401);
  });

  it('has all sessions ended by an administrator of that tenant, and keeps those elsewhere', async () => {
    const [north, south] = [await signedIn('both', at('north')), await signedIn('both', at('south'))];
    const admin = await signedIn('nora', at('north'));
    const subject = `oauth:${provider.issuer}|both`;
    answered(200, await admin.call('POST', '/v0/sessions/end', { subject }));
    expect((await north.call('GET', '/v0/session')).status).toBe(401);
    expect((await south.call('GET', '/v0/session')).status).toBe(200);
  });
});
