import { answered, get, postJson } from '../support/http/requests';
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
}, 60_000);

describe('a tenant', () => {
  it('issues under its own name, with its own keys, what nobody else sees', async () => {
    const vct = 'https://credentials.example/membership';
    for (const tenant of ['town-a', 'town-b']) await publishedTemplate(at(tenant), { templateId: 'membership', vct });
    const { link, offerId } = await prepareOffer(at('town-a'), ['membership']);
    const [credential = ''] = await receive(link, 'F');
    const { claims } = contentOf(credential);
    console.log(link, JSON.stringify(claims), offerId);
    const metadata = await readMetadata(`${at('town-a')}/openid4vci`, 'final');
    console.log(JSON.stringify(metadata).slice(0, 900));
    expect((await get(`${at('town-b')}/v0/offers/${offerId}`)).status).toBe(404);
    expect((await get(`${service.url}/v0/offers/${offerId}`)).status).toBe(404);
    expect(answered(200, await get(`${at('town-a')}/v0/offers`))['items']).toHaveLength(1);
    expect(answered(200, await get(`${service.url}/v0/offers`))['items']).toHaveLength(0);
  });
});
