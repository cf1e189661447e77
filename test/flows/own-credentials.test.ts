import { randomUUID } from 'node:crypto';
import { ApiKeys } from '@app/access';
import { scopes } from '@app/http';
import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { quickStart } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { receive } from '../support/wallets/wallet';

let service: RunningService;
let mine: Record<string, string>;
let others: Record<string, string>;
beforeAll(async () => {
  service = await startService({ SERVICE__MANAGEMENT__API_KEYS: 'key-of-the-settings-0f3c91b7' });
  const keys = service.app.get(ApiKeys);
  const headersOf = async (name: string) => ({ 'x-api-key': (await keys.create({ name, scopes })).text });
  [mine, others] = [await headersOf('registrar'), await headersOf('town hall')];
});
afterAll(() => service.stop());

const list = async (query: string, headers = mine): Promise<Json[]> =>
  answered(200, await get(`${service.url}/v0/credentials?${query}`, headers))['items'] as Json[];
const ids = (items: readonly Json[]): unknown[] => items.map(({ credentialId }) => credentialId);

async function submitted(data: object, headers = mine): Promise<Json> {
  const body = { offerId: randomUUID(), credential: { credentialSubject: { given_name: 'Erika' } }, ...data };
  return answered(201, await postJson(`${service.url}/v0/credentials`, body, headers));
}

describe('credentials of the caller', () => {
  it('are those whose data it submitted, the latest first, and no others', async () => {
    const first = await submitted({ credentialConfigurationId: quickStart });
    const foreign = await submitted({ credentialConfigurationId: quickStart }, others);
    const second = await submitted({ credentialConfigurationId: quickStart });
    expect(ids(await list('preparedBy=self'))).toEqual([second['credentialId'], first['credentialId']]);
    expect(ids(await list('preparedBy=self', others))).toEqual([foreign['credentialId']]);
    expect(await list('preparedBy=self&status=Issued')).toEqual([]);
    expect(ids(await list('preparedBy=self&limit=1'))).toEqual([second['credentialId']]);
    expect(await list('preparedBy=self&createdBefore=2020-01-01T00:00:00Z')).toEqual([]);
  });
});

describe('statistics', () => {
  it('count credentials by week and configuration, and say what has become of them', async () => {
    const schema = { type: 'object', properties: { given_name: { type: 'string' } } };
    const template = {
      title: 'Membership',
      format: 'dc+sd-jwt',
      status: 'Published',
      schema,
      expiration: 'P30D',
      revocable: true,
    };
    const { templateId } = answered(201, await postJson(`${service.url}/v0/templates`, template, mine));
    const [taken] = [await submitted({ templateId }), await submitted({ templateId })];
    await receive(String(taken['credentialOffer']), 'F');
    const revoke = `${service.url}/v0/credentials/${String(taken['credentialId'])}/revoke`;
    answered(204, await postJson(revoke, {}, mine));
    const { items } = answered(200, await get(`${service.url}/v0/statistics`, mine)) as { items: Json[] };
    const counts = { waitingForData: 0, notTaken: 1, taken: 1, refused: 0, suspended: 0, revoked: 1 };
    const week = expect.stringMatching(/^\d{4}-\d\d-\d\d$/);
    expect(items.filter((item) => item['credentialConfigurationId'] === templateId)).toEqual([
      { week, credentialConfigurationId: templateId, created: 2, ...counts },
    ]);
    expect(JSON.stringify(items)).not.toContain('Erika');
    for (const { credentialId } of await list(`templateId=${templateId}`)) {
      const personal = `${service.url}/v0/credentials/${String(credentialId)}/personal_data`;
      answered(204, await send(personal, { method: 'DELETE', headers: mine }));
    }
    expect(answered(200, await get(`${service.url}/v0/statistics`, mine))['items']).toEqual(items);
    const before = await get(`${service.url}/v0/statistics?from=2020-01-01T00:00:00Z&to=2020-02-01T00:00:00Z`, mine);
    expect(answered(200, before)['items']).toEqual([]);
  });
});
