import { SQL_DRIVER, type SqlDriver, StoreUnavailableError } from '@app/event-store';
import { eventually } from '../event-store/accounts';
import { answered, get, type Json, postJson } from '../support/http/requests';
import { expectProblem } from '../support/http/refusals';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { contentOf } from '../support/wallets/credentials';
import { readMetadata, receive } from '../support/wallets/wallet';

const service = serviceOfFile();
const at = (tenant: string): string => `${service.url}/t/${tenant}`;

beforeAll(async () => {
  for (const [tenantId, displayName] of [
    ['town-a', 'Town A'],
    ['town-b', 'Town B'],
  ]) {
    answered(201, await postJson(`${service.url}/v0/tenants`, { tenantId, displayName }));
  }
});

const keysOf = async (url: string): Promise<unknown[]> =>
  (answered(200, await get(`${url}/jwks.json`))['keys'] as Json[]).map(({ kid }) => kid);

describe('a tenant', () => {
  it('issues under its own name, with its own keys, what nobody else sees', async () => {
    const vct = 'https://credentials.example/membership';
    for (const tenant of ['town-a', 'town-b']) await publishedTemplate(at(tenant), { templateId: 'membership', vct });
    const { link, offerId } = await prepareOffer(at('town-a'), ['membership']);
    const [credential = ''] = await receive(link, 'F');
    expect(contentOf(credential).claims).toMatchObject({ vct });
    const metadata = await readMetadata(`${at('town-a')}/openid4vci`, 'final');
    expect(metadata).toMatchObject({ credential_issuer: `${at('town-a')}/openid4vci`, display: [{ name: 'Town A' }] });
    expect((await get(`${at('town-b')}/v0/offers/${offerId}`)).status).toBe(404);
    expect((await get(`${service.url}/v0/offers/${offerId}`)).status).toBe(404);
    expect(answered(200, await get(`${at('town-a')}/v0/offers`))['items']).toHaveLength(1);
    expect(answered(200, await get(`${service.url}/v0/offers`))['items']).toHaveLength(0);
    const keys = await Promise.all([at('town-a'), at('town-b'), service.url].map(keysOf));
    expect(new Set(keys.flat()).size).toBe(keys.flat().length);
  });

  it('is finished by the same request when its first key could not be stored', async () => {
    const body = { tenantId: 'town-c', displayName: 'Town C', limits: { requestsPerMinute: 9000 } };
    const ask = (more: Json = {}) => postJson(`${service.url}/v0/tenants`, { ...body, ...more });
    const driver = service.app.get<SqlDriver>(SQL_DRIVER, { strict: false });
    const query = driver.query.bind(driver);
    const spied = jest.spyOn(driver, 'query').mockImplementation((statement) => {
      if (statement.name === 'api-key-insert') return Promise.reject(new StoreUnavailableError('away', false));
      return query<never>(statement);
    });
    expectProblem(await ask(), 503, 'unavailable');
    spied.mockRestore();
    expectProblem(await ask({ displayName: 'Another' }), 409, 'conflict');
    const [first, second] = [answered(201, await ask()), answered(201, await ask())];
    expect([first, second]).toEqual(
      [1, 2].map(() => expect.objectContaining({ tenantId: 'town-c', status: 'Active' })),
    );
    const asks = ({ apiKey }: Json) =>
      get(`${at('town-c')}/v0/offers`, { authorization: `Bearer ${String(apiKey)}` }).then(({ status }) => status);
    // The answer that came first may come last.
    expect([await asks(second), await asks(first)]).toEqual([200, 200]);
    await eventually(async () => (await ask()).status === 409);
  });

  it('has neither a login provider nor a server for data, and is told of no setting that would give it one', async () => {
    await publishedTemplate(at('town-b'), { templateId: 'card' });
    const identification = 'openid';
    const template = { title: 'Card', format: 'dc+sd-jwt', vct: 'https://credentials.example/card', schema: {} };
    for (const [path, body] of [
      ['templates', { ...template, data: 'webhook' }],
      ['templates', { ...template, identification }],
      ['offers', { templateIds: ['card'], grants: ['authorization_code'], identification }],
    ] as const) {
      const refused = await postJson(`${at('town-b')}/v0/${path}`, body);
      expectProblem(refused, 409, 'setting-missing');
      expect(refused.json['detail']).toMatch(/: tenants have none\.$/);
    }
  });

  it('gets a key whatever alphabet its name is in', async () => {
    const ask = (name: string) => postJson(`${service.url}/v0/tenants/town-a/api_keys`, { name });
    for (const name of ['Портал ратуши', '🏛️'.repeat(50)]) {
      expect(answered(200, await ask(name))).toEqual({ apiKey: expect.stringMatching(/^swk_/) as unknown });
    }
    for (const name of [' ', 'a\u0000b']) expectProblem(await ask(name), 400, 'validation-failed');
  });
});
