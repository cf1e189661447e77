import { OrganisationProvider } from '../support/counterparts/organisation-provider';
import { ConsoleBrowser } from '../support/http/console-browser';
import { answered, type Json, postJson, type Reply } from '../support/http/requests';
import { publishedTemplate } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';

let provider: OrganisationProvider;
let service: RunningService;
let clerk: ConsoleBrowser;
beforeAll(async () => {
  provider = await OrganisationProvider.start({ consoleUrls: () => [service.url] });
  provider.people.set('erika', { name: 'Erika', groups: ['law'] });
  service = await startService({ ...provider.settings, SERVICE__CONSOLE__OPENID__ROLES: 'clerk@law-diploma=law' });
  for (const templateId of ['law-diploma', 'physics-diploma']) {
    await publishedTemplate(service.url, { templateId });
    const offer = { offerId: `of-${templateId}`, templateIds: [templateId] };
    answered(201, await postJson(`${service.url}/v0/offers`, offer));
    const data = { credentialSubject: { given_name: 'Erika', level: 1 } };
    const credential = { offerId: `of-${templateId}-2`, templateId, credentialId: `c-${templateId}`, credential: data };
    answered(201, await postJson(`${service.url}/v0/credentials`, credential));
  }
  clerk = new ConsoleBrowser(service.url);
  await clerk.signIn();
}, 60_000);
afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const idIn = (path: string): string => path.split('/')[3] ?? '';

describe('a clerk of one department', () => {
  it.each([
    ['/v0/templates', 'templateId', ['law-diploma']],
    ['/v0/offers', 'offerId', ['of-law-diploma', 'of-law-diploma-2']],
    ['/v0/credentials', 'credentialId', ['c-law-diploma']],
  ])('finds in %s what is of that department', async (path, name, expected) => {
    const { items } = answered(200, await clerk.call('GET', path));
    expect((items as Json[]).map((one) => one[name]).sort()).toEqual(expected);
  });

  it.each([
    ['GET', '/v0/credentials/c-physics-diploma', 'GET', '/v0/credentials/c-nothing'],
    ['GET', '/v0/offers/of-physics-diploma', 'GET', '/v0/offers/of-nothing'],
    ['GET', '/v0/templates/physics-diploma', 'GET', '/v0/templates/nothing'],
    ['POST', '/v0/credentials/c-physics-diploma/revoke', 'POST', '/v0/credentials/c-nothing/revoke'],
  ])('gets for %s %s what is said of something that is not there', async (method, path, _method, nowhere) => {
    const body = method === 'POST' ? {} : undefined;
    const [hidden, missing] = [await clerk.call(method, path, body), await clerk.call(method, nowhere, body)];
    expect(hidden.status).toBe(404);
    const words = ({ json }: Reply, id: string) => [json['type'], String(json['detail']).replace(id, '')];
    expect(words(hidden, idIn(path))).toEqual(words(missing, idIn(nowhere)));
    expect(hidden.text).not.toContain('not-there-');
  });

  it('offers what is of that department, and nothing else', async () => {
    const open = (offer: Json) => clerk.call('POST', '/v0/offers', offer);
    expect((await open({ templateIds: ['law-diploma'] })).status).toBe(201);
    expect((await open({ templateIds: ['law-diploma', 'physics-diploma'] })).status).toBe(403);
    expect((await open({ offerId: 'of-physics-diploma' })).status).toBe(403);
  });
});
