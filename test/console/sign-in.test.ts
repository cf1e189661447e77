import { OrganisationProvider } from '../support/counterparts/organisation-provider';
import { ConsoleBrowser } from '../support/http/console-browser';
import { get } from '../support/http/requests';
import { type RunningService, startService } from '../support/service/service';

let provider: OrganisationProvider;
let service: RunningService;
beforeAll(async () => {
  provider = await OrganisationProvider.start({ consoleUrls: () => [service.url] });
  provider.people.set('erika', { name: 'Erika Mustermann', groups: ['clerk'] });
  service = await startService(provider.settings);
}, 60_000);
afterAll(async () => {
  await service.stop();
  await provider.stop();
});

describe('a person who signs in', () => {
  it('is known by a cookie, and may do what their role may', async () => {
    const browser = new ConsoleBrowser(service.url);
    await browser.signIn();
    expect(browser.address).toBe(`${service.url}/console`);
    const who = await browser.whoAmI();
    expect(who).toMatchObject({
      subject: `oauth:${provider.issuer}|erika`,
      name: 'Erika Mustermann',
      roles: ['clerk'],
    });
    expect((await browser.call('GET', '/v0/offers')).status).toBe(200);
    expect((await browser.call('GET', '/v0/audit')).status).toBe(403);
    expect((await get(`${service.url}/console/sign-in/options`)).json).toEqual({ signIn: true });
  });
});
