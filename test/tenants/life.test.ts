import { Settings } from '@app/config';
import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { checkDataKeys, checkKeyRows, openCheckingKeys, SealBrokenError, Sealer } from '@app/keys';
import { inTenant } from '@app/primitives/context';
import { TenantRegistry } from '@app/tenants';
import { TenantDeletions } from '../../libs/tenants/src/tenant-deletions';
import { listen } from '../support/http/event-stream';
import { answered, get, type Json, postJson, type Reply, send } from '../support/http/requests';
import { png, sendPicture } from '../support/portal/pictures';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { tokenStatus } from '../support/verifiers/status-readers';
import { collect, deferredOffer } from '../support/wallets/deferred';
import { openSession, readMetadata, readOffer, receive, redeem, requestCredential } from '../support/wallets/wallet';

const service = serviceOfFile({
  SERVICE__EVENTS__HEARTBEAT_SECONDS: '1',
  SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: '127.0.0.1',
});
const at = (tenant: string): string => `${service.url}/t/${tenant}`;
const of = (tenant: string): string => `${service.url}/v0/tenants/${tenant}`;

async function created(tenantId: string, more: Json = {}): Promise<string> {
  const body = { tenantId, displayName: tenantId, ...more };
  const { apiKey } = answered(201, await postJson(`${service.url}/v0/tenants`, body));
  await publishedTemplate(at(tenantId), { templateId: 'membership', revocable: true });
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
  /** A wallet that waits for its credential asks for it. */
  let ask: () => Promise<Reply>;
  beforeAll(async () => {
    await created(tenant);
    [credential = ''] = await receive((await prepareOffer(at(tenant), ['membership'])).link);
    offered = await prepareOffer(at(tenant), ['membership']);
    const session = await openSession((await deferredOffer(at(tenant), ['membership'])).link);
    const { transaction_id: id } = answered(202, await requestCredential(session));
    ask = () => collect(session, id);
  });

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
    expect((await ask()).json['error']).toBe('temporarily_unavailable');
    expect((await get(`${at(tenant)}/v0/offers`)).status).toBe(200);
    const [revoked = ''] = (await prepareOfferIds()).slice(0, 1);
    answered(204, await postJson(`${at(tenant)}/v0/credentials/${revoked}/revoke`, { reason: 'keyCompromise' }));
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
    expect((await ask()).status).toBe(202);
    const audit = answered(200, await get(`${service.url}/v0/audit?object=${tenant}`))['items'] as Json[];
    expect(audit.map(({ action }) => action)).toEqual(expect.arrayContaining(['tenants.suspend', 'tenants.resume']));
  });

  async function prepareOfferIds(): Promise<string[]> {
    const { items } = answered(200, await get(`${at(tenant)}/v0/credentials?status=Issued`)) as { items: Json[] };
    return items.map(({ credentialId }) => String(credentialId));
  }
});

describe('a deleted tenant', () => {
  const tenant = 'closed';
  const driver = (): SqlDriver => service.app.get<SqlDriver>(SQL_DRIVER, { strict: false });
  const rows = <T>(text: string, ...values: unknown[]): Promise<T[]> => driver().query<T>({ name: '', text, values });
  const finish = (): Promise<void> => service.app.get(TenantDeletions, { strict: false }).run();
  const setDays = (regretDays: number): void => {
    Object.assign(service.app.get(Settings, { strict: false }).tenants, { regretDays });
  };
  let apiKey: string;
  let credential: string;
  let waiting: string;
  beforeAll(async () => {
    apiKey = await created(tenant);
    [credential = ''] = await receive((await prepareOffer(at(tenant), ['membership'])).link);
    [waiting = ''] = (await prepareOffer(at(tenant), ['membership'])).credentialIds;
    answered(201, await postJson(`${at(tenant)}/v0/webhooks`, { url: `${service.url}/events` }));
    answered(201, await sendPicture(at(tenant), png(2, 2)));
  });

  it('is asked for by its id, and restored as it was', async () => {
    const refused = await remove(tenant, '?confirm=other');
    expect(problemOf(refused)).toBe('400 validation-failed');
    expect(refused.text).toContain(`?confirm=${tenant}`);
    expect(answered(200, await remove(tenant, `?confirm=${tenant}`))['status']).toBe('Deleting');
    await finish();
    expect(problemOf(await get(`${at(tenant)}/v0/templates`))).toBe('403 tenant-suspended');
    for (const word of ['resume', 'api_keys']) {
      expect(problemOf(await act(tenant, word, word === 'resume' ? '' : { name: 'one more' }))).toBe('409 conflict');
    }
    expect(answered(200, await act(tenant, 'restore'))).toMatchObject({ status: 'Active', deletedAt: null });
    expect((await get(`${at(tenant)}/v0/credentials/${waiting}`)).text).toContain('Mustermann');
  });

  it('leaves its status lists and its id, and nothing that can be read', async () => {
    const known = await service.app.get(TenantRegistry, { strict: false }).byId(tenant);
    const sealer = service.app.get(Sealer, { strict: false });
    const stream = `credential-${waiting}`;
    const [copy] = await rows<{ sealed: Buffer }>(
      'select sealed_key as sealed from data_keys where stream_id = $1',
      `credential~${known?.mark ?? ''}-${waiting}`,
    );
    const sealed = copy?.sealed ?? Buffer.alloc(0);
    await expect(inTenant(known, async () => sealer.unwrap(sealed, stream))).resolves.toHaveLength(32);
    await expect((async () => sealer.unwrap(sealed, stream))()).rejects.toThrow(SealBrokenError);

    setDays(0);
    const body = { credentials: 'revoke-all' };
    expect(answered(200, await remove(tenant, `?confirm=${tenant}`, body))['status']).toBe('Deleting');
    setDays(7);
    expect(problemOf(await act(tenant, 'restore'))).toBe('409 conflict');
    await finish();
    expect(answered(200, await get(of(tenant)))).toMatchObject({ status: 'Deleted', ...body });
    const present = await service.app.get(TenantRegistry, { strict: false }).byId(tenant);
    await expect(inTenant(present, async () => sealer.unwrap(sealed, stream))).resolves.toBeUndefined();
    expect((await get(`${at(tenant)}/v0/templates`, { authorization: `Bearer ${apiKey}` })).status).toBe(401);
    for (const table of ['webhook_receivers', 'images'])
      await expect(rows(`select 1 as one from ${table} where tenant = $1`, known?.mark)).resolves.toEqual([]);
    await expect(tokenStatus(credential)).resolves.toBe(1);
    const again = await postJson(`${service.url}/v0/tenants`, { tenantId: tenant, displayName: 'Again' });
    expect(problemOf(again)).toBe('409 conflict');
  });

  it('is no finding of a check of the store', async () => {
    const keys = await openCheckingKeys(driver(), 'development-only');
    const findings: unknown[] = [];
    for await (const finding of checkKeyRows(driver(), keys)) findings.push(finding);
    for await (const finding of checkDataKeys(driver(), keys.roots, () => undefined)) findings.push(finding);
    expect(findings).toEqual([]);
  });

  it('leaves the others as they are', async () => {
    expect(answered(200, await get(`${of('paused')}/usage`))).toMatchObject({
      offers: 4,
      credentials: { issued: 2, issuedInLast30Days: 2 },
      templates: 1,
      webhooks: 0,
    });
  });
});

describe('limits of a tenant', () => {
  it('hold for it alone, and can be lifted', async () => {
    await created('busy', { limits: { offersPerMinute: 1, credentialsPerDay: 1 } });
    const offer = (): Promise<Reply> => postJson(`${at('busy')}/v0/offers`, { templateIds: ['membership'] });
    const replies = [await offer(), await offer(), await offer(), await offer()];
    // The minute may end meanwhile, but not twice.
    const refused = replies.find(({ status }) => status === 429);
    expect(refused && problemOf(refused)).toBe('429 tenant-limit-reached');
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await postJson(`${at('paused')}/v0/offers`, { templateIds: ['membership'] })).status).toBe(201);

    const lifted = await send(of('busy'), {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ limits: { offersPerMinute: null } }),
    });
    const none = { offersPerMinute: null, requestsPerMinute: null };
    expect(answered(200, lifted)['limits']).toEqual({ ...none, credentialsPerDay: 1 });
    const { link } = await prepareOffer(at('busy'), ['membership']);
    await receive(link);
    const session = await openSession((await prepareOffer(at('busy'), ['membership'])).link);
    const { status, json } = await requestCredential(session);
    expect([status, json['error']]).toEqual([429, 'temporarily_unavailable']);
  });
});
