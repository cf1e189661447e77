import { eventually } from '../event-store/accounts';
import { expectProblem } from '../support/http/refusals';
import { answered, get, postJson, send } from '../support/http/requests';
import { png, sendPicture } from '../support/portal/pictures';
import { sealwrightWith } from '../support/service/command-line';
import { furtherStores } from '../support/service/further-stores';

const { service, settings, joinStore, north, rowsOf } = furtherStores();
const at = (tenant: string): string => `${service.url}/t/${tenant}`;

describe('a picture of a tenant', () => {
  let uri: string;
  let imageId: string;
  beforeAll(async () => {
    await joinStore('north', north());
    answered(
      201,
      await postJson(`${service.url}/v0/tenants`, { tenantId: 'town-a', displayName: 'A', store: 'north' }),
    );
    answered(201, await postJson(`${service.url}/v0/tenants`, { tenantId: 'town-b', displayName: 'B' }));
    ({ uri, imageId } = answered(201, await sendPicture(at('town-a'), png(3, 3))) as { uri: string; imageId: string });
  });

  it('is at its own address alone', async () => {
    expect(uri).toBe(`${at('town-a')}/images/${imageId}.png`);
    expect((await get(uri)).status).toBe(200);
    for (const elsewhere of [at('town-b'), service.url]) {
      expect((await get(`${elsewhere}/images/${imageId}.png`)).status).toBe(404);
      expectProblem(await send(`${elsewhere}/v0/images/${imageId}`, { method: 'DELETE' }), 404, 'not-found');
      expect(answered(200, await get(`${elsewhere}/v0/images`))['items']).toEqual([]);
    }
  });

  it('can be its logo, in wallets and on pages', async () => {
    const set = (tenant: string, logo: string | null) =>
      send(`${service.url}/v0/tenants/${tenant}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ settings: { issuer: { logo } } }),
      });
    const refused = await set('town-b', '/etc/logo.png');
    expectProblem(refused, 400, 'validation-failed');
    expect(refused.json['detail']).toContain('give the end of the address of a picture');
    answered(200, await set('town-a', `${imageId}.png`));
    const metadata = `${service.url}/.well-known/openid-credential-issuer/t/town-a/openid4vci`;
    await eventually(async () => (await get(metadata)).text.includes(`"logo":{"uri":"${uri}"`));
    const { offerId } = answered(201, await postJson(`${at('town-a')}/v0/offers`, { offerId: 'one' }));
    const { links } = answered(200, await get(`${at('town-a')}/v0/offers/${String(offerId)}`));
    expect((await get((links as { page: string }).page)).text).toContain(
      `<img src="/t/town-a/images/${imageId}.png" alt="">`,
    );
    const kept = await send(`${at('town-a')}/v0/images/${imageId}`, { method: 'DELETE' });
    expectProblem(kept, 409, 'conflict');
    answered(200, await set('town-a', null));
  });

  it('moves with it to another store', async () => {
    expect(await rowsOf(north(), 'select image_id as id from images')).toEqual([{ id: imageId }]);
    const moved = await sealwrightWith(settings(), ['tenants', 'move', 'town-a', '--to', 'first']);
    expect(moved).toMatchObject({ code: 0 });
    expect(await rowsOf(north(), 'select image_id as id from images')).toEqual([]);
    await eventually(async () => (await get(uri)).status === 200);
  });
});
