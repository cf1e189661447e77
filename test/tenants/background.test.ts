import { EventStore, SQL_DRIVER, type SqlDriver, type StoredEvent } from '@app/event-store';
import { RefusedAccess } from '@app/access/src/audit/refused-access';
import { Expiries, Housekeeping } from '@app/operation';
import { currentMark, Tenants } from '@app/primitives/context';
import { TenantRegistry } from '@app/tenants';
import { TenantDeletions } from '../../libs/tenants/src/tenant-deletions';
import { eventually } from '../event-store/accounts';
import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { claims, prepareOffer, publishedTemplate } from '../support/portal/portal';
import { ask } from '../support/presenters/presenter';
import { serviceOfFile } from '../support/service/service-of-file';
import { tokenStatus } from '../support/verifiers/status-readers';
import { receive } from '../support/wallets/wallet';

const service = serviceOfFile({ SERVICE__TENANTS__REGRET_DAYS: '0' });
const at = (tenant: string): string => (tenant === '' ? service.url : `${service.url}/t/${tenant}`);
const issuers = ['', 'town-a', 'town-b'];
const templates = new Map<string, string>();
beforeAll(async () => {
  for (const tenantId of issuers) {
    if (tenantId !== '')
      answered(201, await postJson(`${service.url}/v0/tenants`, { tenantId, displayName: tenantId }));
    const template = { retention: 'PT0.1S', revocable: true };
    templates.set(tenantId, await publishedTemplate(at(tenantId), template));
  }
});

const driver = (): SqlDriver => service.app.get<SqlDriver>(SQL_DRIVER, { strict: false });
const rows = <T>(text: string, ...values: unknown[]): Promise<T[]> => driver().query<T>({ name: '', text, values });
/** Resolves after the database's clock has passed the time. */
const reached = (time: unknown): Promise<unknown> =>
  rows('select pg_sleep(greatest(0, extract(epoch from $1::text::timestamptz - clock_timestamp()) + 0.002))', time);
const offered = (tenant: string) => prepareOffer(at(tenant), [templates.get(tenant) ?? '']);

/** What is in the timeline at `path` of the issuer. */
async function steps(tenant: string, path: string): Promise<unknown[]> {
  const { timeline } = answered(200, await get(`${at(tenant)}/v0/${path}`));
  return (timeline as Json[]).map(({ step }) => step);
}

describe('work that no request asks for', () => {
  it('records what has expired, of each issuer in its own name', async () => {
    const made = await Promise.all(
      issuers.map(async (tenant) => {
        // Made by one request: there is no second one that could come too late.
        const { offerId } = await prepareOffer(at(tenant), [], { expiresIn: 'PT1S' });
        const { state } = await ask(at(tenant), { expiresIn: 'PT1S' });
        return { tenant, offerId, state };
      }),
    );
    // Of a tenant that nobody knows: it is left alone, and holds nobody up.
    await rows(`insert into streams (stream_id, category, version, state, created_at, updated_at)
      values ('offer~zzzzzzzz-1', 'offer~zzzzzzzz', 1, '{"status":"open","expiresAt":"2020-01-01T00:00:00.000Z"}', now(), now())`);
    await reached(new Date(Date.now() + 1_100).toISOString());
    await service.app.get(Expiries, { strict: false }).record();
    for (const { tenant, offerId, state } of made) {
      expect(await steps(tenant, `offers/${offerId}`)).toContain('expired');
      expect(await steps(tenant, `authorization_requests/${state}`)).toContain('expired');
    }
    const [left] = await rows<{ version: number }>(
      `delete from streams where stream_id = 'offer~zzzzzzzz-1' returning version`,
    );
    expect(left).toEqual({ version: 1 });
    await expect(rows(`select 1 from events where stream_id = 'offer-1'`)).resolves.toEqual([]);
  });

  it('erases what was retained long enough', async () => {
    const ids: [tenant: string, id: string][] = [];
    for (const tenant of issuers) {
      const { link, credentialIds } = await offered(tenant);
      await receive(link);
      ids.push([tenant, credentialIds[0] ?? '']);
    }
    await reached(new Date(Date.now() + 200).toISOString());
    await service.app.get(Housekeeping, { strict: false }).cleanUp();
    for (const [tenant, id] of ids) {
      const shown = answered(200, await get(`${at(tenant)}/v0/credentials/${id}`));
      expect(shown).toMatchObject({ status: 'Issued', credential: null, erasedAt: expect.any(String) as unknown });
    }
  });

  it('leaves refused callers in the audit of the tenant that refused them', async () => {
    const authorization = `Bearer swk_00000000_${'0'.repeat(43)}_000000`;
    expect((await get(`${at('town-a')}/v0/offers`, { authorization })).status).toBe(401);
    await service.app.get(RefusedAccess, { strict: false }).flush();
    const refusals = async (tenant: string): Promise<unknown> =>
      answered(200, await get(`${at(tenant)}/v0/audit?action=access`))['items'];
    expect([await refusals(''), await refusals('town-b')]).toEqual([[], []]);
    expect(await refusals('town-a')).toMatchObject([{ outcome: 'unauthorized', count: 1 }]);
  });

  it('is handed the events of each tenant together, in its name', async () => {
    for (let round = 0; round < 6; round++) {
      for (const tenant of issuers)
        answered(201, await postJson(`${at(tenant)}/v0/offers`, { offerId: `turn-${round}` }));
    }
    const store = service.app.get(EventStore, { strict: false });
    const calls: { readonly inNameOf: string; readonly events: readonly StoredEvent[] }[] = [];
    const turns = (): StoredEvent[] => calls.flatMap(({ events }) => events.filter(({ id }) => id.startsWith('turn-')));
    // The log shows an event once no older transaction is open. When a subscription has read all, the next one finds all at once.
    for (const name of ['until-all-are-seen', 'of-tenants']) {
      calls.length = 0;
      const batch = (events: readonly StoredEvent[]): Promise<void> => {
        calls.push({ inNameOf: currentMark(), events });
        return Promise.resolve();
      };
      const subscription = store.subscribe(name, { types: ['OfferCreated'], batch });
      await eventually(() => turns().length >= 6 * issuers.length);
      await subscription.stop();
    }
    expect(calls).toHaveLength(issuers.length);
    for (const { inNameOf, events } of calls) {
      expect(new Set(events.map(({ tenant }) => tenant))).toEqual(new Set([inNameOf]));
      const ids = events.map(({ id }) => id).filter((id) => id.startsWith('turn-'));
      expect(ids).toEqual([0, 1, 2, 3, 4, 5].map((round) => `turn-${round}`));
    }
  });

  it('is never done in the name of the service for a tenant that nobody knows', async () => {
    const work = jest.fn(() => Promise.resolve());
    const done = service.app.get(Tenants, { strict: false }).as('zzzzzzzz', work);
    await expect(done).rejects.toThrow('There is no tenant with the mark zzzzzzzz.');
    expect(work).not.toHaveBeenCalled();
  });

  it('goes on in the name of a tenant whose key was altered', async () => {
    const registry = service.app.get(TenantRegistry, { strict: false });
    const { mark = '' } = (await registry.byId('town-a')) ?? {};
    const change = `update key_store set sealed = (select sealed from key_store where id <> $1 and sealed <> '' limit 1)
      where id = $1 returning id`;
    await expect(rows(change, `tenant~${mark}:1`)).resolves.toHaveLength(1);
    registry.forget('town-a');
    await expect(service.app.get(Tenants, { strict: false }).as(mark, () => Promise.resolve('done'))).resolves.toBe(
      'done',
    );
    const { offerId } = answered(201, await postJson(`${at('town-a')}/v0/offers`, { offerId: 'without-data' }));
    const body = { offerId, templateId: templates.get('town-a'), credential: { credentialSubject: claims } };
    expect((await postJson(`${at('town-a')}/v0/credentials`, body)).status).toBeGreaterThanOrEqual(500);
  });

  it('goes on with the status lists of a tenant that was deleted', async () => {
    const [valid = ''] = await receive((await offered('town-b')).link);
    const { link, credentialIds } = await offered('town-b');
    const [revoked = ''] = await receive(link);
    answered(
      204,
      await postJson(`${at('town-b')}/v0/credentials/${credentialIds[0] ?? ''}/revoke`, { reason: 'keyCompromise' }),
    );
    const deleted = await send(`${service.url}/v0/tenants/town-b?confirm=town-b`, {
      method: 'DELETE',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    answered(200, deleted);
    await service.app.get(TenantDeletions, { strict: false }).run();
    expect(answered(200, await get(`${service.url}/v0/tenants/town-b`))['status']).toBe('Deleted');
    // As after a start: nothing of it is in memory.
    service.app.get(TenantRegistry, { strict: false }).forget('town-b');
    await expect(tokenStatus(valid)).resolves.toBe(0);
    await eventually(async () => (await tokenStatus(revoked)) === 1);
  });
});
