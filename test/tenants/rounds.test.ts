import { ApiKeys } from '@app/access';
import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { inTenant } from '@app/primitives/context';
import { TenantRegistry } from '@app/tenants';
import { TenantHosts } from '../../libs/tenants/src/tenant-hosts';
import { eventually } from '../event-store/accounts';
import { answered, get, postJson } from '../support/http/requests';
import { publishedTemplate } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';

const service = serviceOfFile({ SERVICE__TENANTS__CACHED: '3' });
const ids = ['town-a', 'town-b', 'town-c'];
const registry = (): TenantRegistry => service.app.get(TenantRegistry, { strict: false });
const driver = (): SqlDriver => service.app.get<SqlDriver>(SQL_DRIVER, { strict: false });
const keysOf = async (id: string): Promise<unknown> =>
  answered(200, await get(`${service.url}/t/${id}/jwks.json`))['keys'];

beforeAll(async () => {
  for (const tenantId of ids)
    answered(201, await postJson(`${service.url}/v0/tenants`, { tenantId, displayName: tenantId }));
  for (const id of ids) await keysOf(id);
});

let asked = 0;
/** Asks for all tenants as if seconds had passed, and returns the statements about tenants and keys that follow. */
async function round(): Promise<string[]> {
  const sent: string[] = [];
  // A round begins with the first that is asked for, and takes those that were asked for before.
  for (const id of ids) await registry().byId(id);
  const query = driver().query.bind(driver());
  const spied = jest.spyOn(driver(), 'query').mockImplementation((statement) => {
    sent.push(statement.name);
    return query<never>(statement);
  });
  const later = performance.now() + 3_000 * ++asked;
  const clock = jest.spyOn(performance, 'now').mockReturnValue(later);
  for (const id of ids) expect(registry().byId(id)).not.toBeInstanceOf(Promise);
  clock.mockRestore();
  await eventually(() => sent.includes('key-store-states'));
  await eventually(() => ids.every((id) => registry()['ready'].get(id)?.lookedAt === later));
  spied.mockRestore();
  return sent.filter((name) => /^(?:tenants-|key-store-(?:list|states)|load$)/.test(name)).sort();
}

describe('tenants that are asked for', () => {
  it('are looked up again with one statement for all, and their keys with another', async () => {
    // The first time it is not known yet in which state keys were read.
    const first = (await round()).filter((name) => name !== 'key-store-list');
    expect(first).toEqual(['key-store-states', 'tenants-versions']);
    expect(await round()).toEqual(['key-store-states', 'tenants-versions']);
  });

  it('have their keys read again once another process has changed a row of them', async () => {
    const { mark = '' } = (await registry().byId('town-b')) ?? {};
    await driver().query({
      name: '',
      text: 'update key_store set updated_at = updated_at where purpose = $1',
      values: [`signing~${mark}`],
    });
    expect(await round()).toEqual(['key-store-list', 'key-store-states', 'tenants-versions']);
  });

  it('find their API keys and templates read, however seldom each has its turn', async () => {
    const cards = await Promise.all(
      ids.map(async (id) => {
        const base = `${service.url}/t/${id}`;
        const template = await publishedTemplate(base);
        const keys = service.app.get(ApiKeys, { strict: false });
        const { text } = await inTenant(await registry().byId(id), () =>
          keys.create({ name: 'portal', scopes: ['templates:read'] }),
        );
        return { base, template, headers: { authorization: `Bearer ${text}` } };
      }),
    );
    let ahead = 0;
    const sent: string[] = [];
    // Behind what the tests before have shown. It stands still in between, however busy the machine is.
    const [now, date] = [performance.now() + 60_000, Date.now() + 60_000];
    const query = driver().query.bind(driver());
    const mocks = [
      jest.spyOn(performance, 'now').mockImplementation(() => now + ahead),
      jest.spyOn(Date, 'now').mockImplementation(() => date + ahead),
      jest.spyOn(driver(), 'query').mockImplementation((statement) => {
        sent.push(statement.name);
        return query<never>(statement);
      }),
    ];
    /** Each has its turn, seconds after the turn before. */
    const turns = async (): Promise<string[]> => {
      ahead += 2_600;
      for (const id of ids) await registry().byId(id);
      const { roundAt } = registry() as unknown as { roundAt: number };
      await eventually(() => ids.every((id) => (registry()['ready'].get(id)?.lookedAt ?? 0) >= roundAt));
      sent.length = 0;
      for (const { base, template, headers } of cards) {
        answered(200, await get(`${base}/openid4vci/.well-known/openid-credential-issuer`));
        answered(200, await get(`${base}/v0/templates/${template}`, headers));
      }
      return sent.filter((name) => /^(?:api-key-(?:find|states)|list-)/.test(name)).sort();
    };
    // What is known at first is compared with what it is, and read again once to be sure of it.
    for (let times = 0; times < 6; times++) await turns();
    const after = [await turns(), await turns(), await turns(), await turns()].flat();
    expect(after).toEqual(['api-key-states', 'api-key-states']);
    await driver().query({
      name: '',
      text: `update streams set updated_at = now() where category like 'template~%' and category = $1`,
      values: [`template~${(await registry().byId('town-b'))?.mark}`],
    });
    const changed = [await turns(), await turns(), await turns(), await turns()].flat();
    expect(changed.filter((name) => name === 'list-oldest-where')).toHaveLength(1);
    for (const mock of mocks) mock.mockRestore();
  });

  it('keep their hosts known while others are asked for that nobody has, or can have', async () => {
    const hosts = service.app.get(TenantHosts, { strict: false });
    await hosts.has('id.town.example');
    const sent: string[] = [];
    const query = driver().query.bind(driver());
    const mocks = [
      jest.spyOn(performance, 'now').mockReturnValue(performance.now()),
      jest.spyOn(driver(), 'query').mockImplementation((statement) => {
        sent.push(statement.name);
        return query<never>(statement);
      }),
    ];
    expect(await registry().byId('nobody')).toBeUndefined();
    expect(await hosts.has('id.town.example')).toBe(false);
    const { status } = await get(`${service.url}/t/${'a'.repeat(40)}/jwks.json`);
    for (const mock of mocks) mock.mockRestore();
    expect(status).toBe(404);
    expect(sent.filter((name) => name === 'tenant-urls' || name === 'load')).toEqual(['load']);
  });

  it('make room for one another where fewer are kept in memory than there are', async () => {
    const more = ['town-d', 'town-e'];
    for (const tenantId of more)
      answered(201, await postJson(`${service.url}/v0/tenants`, { tenantId, displayName: tenantId }));
    const before = await Promise.all([...ids, ...more].map(keysOf));
    for (let times = 0; times < 2; times++) {
      for (const [index, id] of [...ids, ...more].entries()) expect(await keysOf(id)).toEqual(before[index]);
    }
    expect(registry()['ready'].size).toBe(3);
  });
});
