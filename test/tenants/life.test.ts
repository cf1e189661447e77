import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { checkDataKeys, checkKeyRows, openCheckingKeys, Sealer } from '@app/keys';
import { inTenant } from '@app/primitives/context';
import { TenantRegistry } from '@app/tenants';
import { TenantDeletions } from '../../libs/tenants/src/tenant-deletions';
import { listen } from '../support/http/event-stream';
import { answered, get, type Json, postJson, type Reply, send } from '../support/http/requests';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { tokenStatus } from '../support/verifiers/status-readers';
import { openSession, readMetadata, readOffer, receive, redeem, requestCredential } from '../support/wallets/wallet';

const service = serviceOfFile({ SERVICE__EVENTS__HEARTBEAT_SECONDS: '1' });
const at = (tenant: string): string => `${service.url}/t/${tenant}`;
const of = (tenant: string): string => `${service.url}/v0/tenants/${tenant}`;

async function created(tenantId: string, more: Json = {}): Promise<string> {
  const body = { tenantId, displayName: tenantId, ...more };
  const { apiKey } = answered(201, await postJson(`${service.url}/v0/tenants`, body));
  await publishedTemplate(at(tenantId), { templateId: 'membership' });
  return String(apiKey);
}

const act = (tenant: string, word: string, body: unknown = ''): Promise<Reply> =>
  postJson(`${of(tenant)}/${word}`, body);
const remove = (tenant: string, query: string, body: Json = {}): Promise<Reply> =>
  send(of(tenant) + query, {
    method: 'DELETE',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

function problemOf({ status, json }: Reply): string {
  return `${status} ${String(json['type']).split('/').pop()}`;
}

describe('a suspended tenant', () => {
  const tenant = 'paused';
  let offered: Awaited<ReturnType<typeof prepareOffer>>;
  let credential: string;
  beforeAll(async () => {
    await created(tenant);
    [credential = ''] = await receive((await prepareOffer(at(tenant), ['membership'])).link);
    offered = await prepareOffer(at(tenant), ['membership']);
  }, 60_000);

  it('makes nothing new while it is suspended for issuing, and is read and revoked', async () => {
    const session = await openSession((await prepareOffer(at(tenant), ['membership'])).link);
    const suspended = answered(200, await act(tenant, 'suspend', { scope: 'issuing', reason: 'Invoice 4711' }));
    expect(suspended).toMatchObject({ status: 'Suspended', suspension: { scope: 'issuing', reason: 'Invoice 4711' } });
    for (const made of [
      postJson(`${at(tenant)}/v0/offers`, { templateIds: ['membership'] }),
      postJson(`${at(tenant)}/v0/credentials`, { offerId: offered.offerId, templateId: 'membership', credential: {} }),
      postJson(`${at(tenant)}/v0/authorization_requests`, {}),
    ]) {
      const refused = await made;
      expect(problemOf(refused)).toBe('403 tenant-suspended');
      expect(refused.text).not.toContain('4711');
    }
    const { status, json, headers } = await redeem(await readOffer(offered.link));
    expect([status, json['error'], headers.get('retry-after')]).toEqual([503, 'temporarily_unavailable', '86400']);
    expect((await requestCredential(session, { nonce: 'any' })).status).toBe(503);
    expect((await get(`${at(tenant)}/v0/offers`)).status).toBe(200);
    const [revoked = ''] = (await prepareOfferIds()).slice(0, 1);
    answered(200, await postJson(`${at(tenant)}/v0/credentials/${revoked}/revoke`, { reason: 'keyCompromise' }));
  });

  it('is closed to portals and wallets while it is suspended as a whole, but not to holders and verifiers', async () => {
    const stream = await listen(`${at(tenant)}/v0/events`);
    answered(200, await act(tenant, 'suspend', { scope: 'all' }));
    expect(problemOf(await get(`${at(tenant)}/v0/offers`))).toBe('403 tenant-suspended');
    expect((await redeem(await readOffer(offered.link))).status).toBe(503);
    await expect(tokenStatus(credential)).resolves.toBeGreaterThanOrEqual(0);
    await readMetadata(`${at(tenant)}/openid4vci`, 'final');
    answered(200, await get(`${at(tenant)}/jwks.json`));
    while ((await stream.next()) !== undefined) continue;
    expect(stream.isComplete()).toBe(true);
    expect((await get(`${service.url}/v0/offers`)).status).toBe(200);
  });

  it('goes on where it was once it is resumed', async () => {
    expect(answered(200, await act(tenant, 'resume'))).toMatchObject({ status: 'Active', suspension: null });
    await expect(receive(offered.link)).resolves.toHaveLength(1);
    const audit = answered(200, await get(`${service.url}/v0/audit?object=${tenant}`))['items'] as Json[];
    expect(audit.map(({ action }) => action)).toEqual(expect.arrayContaining(['tenants.suspend', 'tenants.resume']));
  });

  async function prepareOfferIds(): Promise<string[]> {
    const { items } = answered(200, await get(`${at(tenant)}/v0/credentials?status=Issued`)) as { items: Json[] };
    return items.map(({ credentialId }) => String(credentialId));
  }
});

describe('a deleted tenant', () => {
  const sql = <T>(text: string, ...values: unknown[]): Promise<T[]> =>
    service.app.get<SqlDriver>(SQL_DRIVER, { strict: false }).query<T>({ name: '', text, values });
  const finish = (): Promise<void> => service.app.get(TenantDeletions, { strict: false }).run();
  const timeIsOver = async (tenant: string): Promise<void> => {
    const records = service.app.get(TenantDeletions, { strict: false });
    const clock = jest.spyOn(Date.prototype, 'getTime');
    clock.mockRestore();
    expect(records).toBeDefined();
    expect(tenant).not.toBe('');
  };

  it('is asked for by its id, and restored as it was', async () => {
    await created('regretted');
    const refused = await remove('regretted', '');
    expect(problemOf(refused)).toBe('400 validation-failed');
    expect(refused.text).toContain('?confirm=regretted');
    expect(answered(200, await remove('regretted', '?confirm=regretted'))['status']).toBe('Deleting');
    await finish();
    expect(problemOf(await get(`${at('regretted')}/v0/templates`))).toBe('403 tenant-suspended');
    expect(problemOf(await act('regretted', 'resume'))).toBe('409 conflict');
    expect(answered(200, await act('regretted', 'restore'))).toMatchObject({ status: 'Active', deletedAt: null });
    expect((await get(`${at('regretted')}/v0/templates`)).status).toBe(200);
    await timeIsOver('regretted');
  });
  void sql;
  void inTenant;
  void [checkDataKeys, checkKeyRows, openCheckingKeys, Sealer, TenantRegistry];
});
