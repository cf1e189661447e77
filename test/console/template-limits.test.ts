import { OrganisationProvider } from '../support/counterparts/organisation-provider';
import { ConsoleBrowser } from '../support/http/console-browser';
import { answered, get, type Json, postForm, postJson, type Reply, send } from '../support/http/requests';
import { startedImport, until, uploaded } from '../support/portal/imports';
import { publishedTemplate } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';

let provider: OrganisationProvider;
let service: RunningService;
let clerk: ConsoleBrowser;
beforeAll(async () => {
  provider = await OrganisationProvider.start({ consoleUrls: () => [service.url] });
  provider.people.set('erika', { name: 'Erika', groups: ['law'] });
  provider.people.set('greta', { name: 'Greta', groups: ['law', 'heads', 'it'] });
  const roles = 'clerk@law-diploma=law,approver=heads,operator=it';
  service = await startService({ ...provider.settings, SERVICE__CONSOLE__OPENID__ROLES: roles });
  for (const templateId of ['law-diploma', 'physics-diploma']) {
    await publishedTemplate(service.url, { templateId });
    const offer = { offerId: `of-${templateId}`, templateIds: [templateId] };
    answered(201, await postJson(`${service.url}/v0/offers`, offer));
    const data = { credentialSubject: { given_name: 'Erika', level: 1 } };
    const names = { templateId, credentialId: `c-${templateId}`, reference: `file of ${templateId}` };
    const credential = { offerId: `of-${templateId}-2`, ...names, credential: data };
    answered(201, await postJson(`${service.url}/v0/credentials`, credential));
  }
  clerk = new ConsoleBrowser(service.url);
  await clerk.signIn();
});
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

  it('finds by a reference what is of that department, and learns nothing of others', async () => {
    const found = async (reference: string) =>
      answered(200, await clerk.call('POST', '/v0/searches', { reference }))['items'] as Json[];
    expect((await found('file of law-diploma')).map((one) => one['credentialId'])).toEqual(['c-law-diploma']);
    expect(await found('file of physics-diploma')).toEqual([]);
  });

  it('imports what is of that department, and sees no file of others', async () => {
    const file = 'given_name,level\nErika,1\n';
    const post = (query: string, body: string, type: string) =>
      send(`${service.url}/v0/imports${query}`, {
        method: 'POST',
        headers: { cookie: clerk.cookie, 'x-console': '1', 'sec-fetch-site': 'same-origin', 'content-type': type },
        body: Buffer.from(body),
      });
    const { importId } = answered(202, await post('?templateId=law-diploma', file, 'text/csv'));
    expect((await post('?templateId=physics-diploma', file, 'text/csv')).status).toBe(403);
    const form =
      '--b\r\nContent-Disposition: form-data; name="templateId"\r\n\r\nphysics-diploma\r\n' +
      `--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n${file}\r\n--b--\r\n`;
    expect((await post('?templateId=law-diploma', form, 'multipart/form-data; boundary=b')).status).toBe(403);
    await until(service.url, String(importId), 'Checked');
    const own = `/v0/imports/${String(importId)}`;
    expect(answered(200, await clerk.call('GET', `${own}/rows/2`))['state']).toBe('ready');
    expect((await clerk.call('GET', '/v0/imports/sample.csv?templateId=law-diploma')).status).toBe(200);
    expect((await clerk.call('GET', '/v0/imports/sample.csv?templateId=physics-diploma')).status).toBe(403);

    const other = await uploaded(service.url, 'physics-diploma', file);
    await until(service.url, other, 'Checked');
    for (const part of ['', '/rows', '/rows/2', '/mapping', '/result.csv'])
      expect((await clerk.call('GET', `/v0/imports/${other}${part}`)).status).toBe(404);
    for (const move of ['start', 'pause', 'cancel'])
      expect((await clerk.call('POST', `/v0/imports/${other}/${move}`, {})).status).toBe(404);
    const { items } = answered(200, await clerk.call('GET', '/v0/imports'));
    expect((items as Json[]).map((one) => one['importId'])).toEqual([importId]);
  });

  it('sees authorizations of that department alone', async () => {
    const push = (scope: string) =>
      postForm(`${service.url}/openid4vci/par`, [
        ['client_id', scope],
        ['response_type', 'code'],
        ['redirect_uri', 'https://wallet.example/callback'],
        ['code_challenge', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'],
        ['code_challenge_method', 'S256'],
        ['scope', scope],
      ]);
    for (const scope of ['law-diploma', 'physics-diploma']) answered(201, await push(scope));
    const all = answered(200, await get(`${service.url}/v0/authorizations`))['items'] as Json[];
    const { authorizationId: hidden } = all.find((one) => one['clientId'] === 'physics-diploma') ?? {};
    const { items } = answered(200, await clerk.call('GET', '/v0/authorizations'));
    expect((items as Json[]).map((one) => one['clientId'])).toEqual(['law-diploma']);
    const { authorizationId } = (items as Json[])[0] ?? {};
    expect((await clerk.call('GET', `/v0/authorizations/${String(authorizationId)}`)).status).toBe(200);
    expect((await clerk.call('GET', `/v0/authorizations/${String(hidden)}`)).status).toBe(404);
  });
});

describe('somebody who is a clerk of one department, and has other roles for all', () => {
  let head: ConsoleBrowser;
  beforeAll(async () => {
    head = await ConsoleBrowser.of('greta', provider, service.url);
  });

  it('sees the offers of all, and the links of those that they may hand over', async () => {
    const [own, other] = await Promise.all(
      ['law', 'physics'].map(async (name) => answered(200, await head.call('GET', `/v0/offers/of-${name}-diploma-2`))),
    );
    expect(own).toHaveProperty('links');
    expect(own).toHaveProperty('credentialOffer');
    expect(other).toMatchObject({ offerId: 'of-physics-diploma-2' });
    for (const name of ['links', 'credentialOffer', 'credentialOfferUri']) expect(other).not.toHaveProperty(name);
  });

  it('gets what became of a file of others without links', async () => {
    const results = async (templateId: string) => {
      const importId = await startedImport(service.url, templateId, 'given_name,level\nErika,1\n');
      await until(service.url, importId, 'Done');
      const { text } = await head.call('GET', `/v0/imports/${importId}/result.csv`);
      return text;
    };
    expect(await results('law-diploma')).toContain('Link');
    expect(await results('physics-diploma')).not.toContain('Link');
  });

  it('makes no key that may do for all what they may do for some', async () => {
    const make = (scopes: readonly string[]) => head.call('POST', '/v0/api_keys', { name: 'Office', scopes });
    answered(200, await make(['credentials:read']));
    const refused = await make(['credentials:read', 'credentials:write']);
    expect([refused.status, refused.json['violations']]).toEqual([
      400,
      [{ pointer: '/scopes/1', message: 'must be a scope that the caller has for all templates' }],
    ]);
  });
});
