import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { TenantRegistry } from '@app/tenants';
import { eventually } from '../event-store/accounts';
import { answered, get, postJson } from '../support/http/requests';
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
}, 60_000);

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
  const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 3_000 * ++asked);
  for (const id of ids) expect(registry().byId(id)).not.toBeInstanceOf(Promise);
  clock.mockRestore();
  await eventually(() => sent.includes('key-store-states'), 5_000);
  await eventually(() => ids.every((id) => registry()['ready'].get(id)?.isAskedFor === false), 5_000);
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
