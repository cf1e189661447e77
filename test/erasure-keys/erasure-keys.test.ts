import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { dropDatabase, sharedPostgres } from '../support/database/postgres';
import { expectProblem, expectRefusal } from '../support/http/refusals';
import { answered, get, postJson, type Reply, send } from '../support/http/requests';
import { prepareOffer, quickStart } from '../support/portal/portal';
import { presentJwtVc } from '../support/presenters/credentials';
import { degree, type Holdings, receiveHoldings } from '../support/presenters/holdings';
import { ask, receiveRequest, respond, resultOf } from '../support/presenters/presenter';
import { sealwright, sealwrightWith } from '../support/service/command-line';
import { type RunningService, startService } from '../support/service/service';
import { openSession, receive, requestCredential } from '../support/wallets/wallet';

let first: string;
let second: string;
let service: RunningService;
let holdings: Holdings;

beforeAll(async () => {
  [first, second] = await Promise.all([sharedPostgres().createDatabase(), sharedPostgres().createDatabase()]);
  service = await startService(await asRoleOfService());
  holdings = await receiveHoldings(service.url, { given_name: 'Zwergspitzmaus' });
});
afterAll(async () => {
  await service.stop();
  await Promise.all([first, second].map(dropDatabase));
});

const settingsOf = (store: string, keys = second): Record<string, string> => ({
  SERVICE__EVENT_STORE__TYPE: 'postgres',
  SERVICE__EVENT_STORE__CONNECTION_STRING: store,
  SERVICE__ERASURE_KEYS__CONNECTION_STRING: keys,
});
/** The settings with a role that has the rights of `sealwright grants` in both databases, and no others. */
async function asRoleOfService(): Promise<Record<string, string>> {
  const role = `app_${randomBytes(6).toString('hex')}`;
  await sql(first, `create role ${role} login password 'app'`);
  const owner = settingsOf(first);
  expect((await sealwrightWith(owner, ['migrate'])).stdout).toMatch(
    /The tables of the erasure keys are up to date\.\n$/,
  );
  expect(await sealwrightWith(owner, ['grants', '--role', role, '--apply'])).toMatchObject({ code: 0, stderr: '' });
  const [store = '', keys = ''] = [first, second].map((database) => {
    const url = new URL(database);
    [url.username, url.password] = [role, 'app'];
    return url.href;
  });
  return settingsOf(store, keys);
}

const startOn = (store: string, keys = second): Promise<RunningService> => startService(settingsOf(store, keys));

const credentialAt = (id = ''): string => `${service.url}/v0/credentials/${id}`;
const erase = (resource: string): Promise<Reply> => send(`${resource}/personal_data`, { method: 'DELETE' });
const claimsOf = async (id: string | undefined): Promise<unknown> =>
  answered(200, await get(credentialAt(id)))['credential'];

async function sql<T extends object>(database: string, text: string, values: unknown[] = []): Promise<T[]> {
  const client = new Client({ connectionString: database });
  await client.connect();
  try {
    return (await client.query<T>(text, values)).rows;
  } finally {
    await client.end();
  }
}

const keysOf = async (streamId: string): Promise<number> =>
  (await sql(second, 'select 1 as one from erasure_keys where stream_id = $1', [streamId])).length;

describe('personal data under erasure keys', () => {
  it('is issued, presented and read as without them', async () => {
    const { link, credentialIds } = await prepareOffer(service.url);
    expect(await receive(link)).toHaveLength(1);
    expect(await claimsOf(credentialIds[0])).toMatchObject({ credentialSubject: { given_name: 'Erika' } });
    const asked = await ask(service.url, { dcql_query: { credentials: [degree] } });
    const received = await receiveRequest(asked);
    const token = presentJwtVc([holdings.jwtVc], holdings.holder, received);
    answered(200, await respond(received, { tokens: { [degree.id]: token } }));
    expect(JSON.stringify(await resultOf(asked))).toContain('Zwergspitzmaus');
  });

  it('cannot be opened once it is erased, although a backup brings its data key back', async () => {
    const { link, credentialIds } = await prepareOffer(service.url);
    const [id = ''] = credentialIds;
    const session = await openSession(link);
    const stream = `credential-${id}`;
    const [backup] = await sql<{ sealed_key: Buffer }>(first, 'select sealed_key from data_keys where stream_id = $1', [
      stream,
    ]);
    expect(await keysOf(stream)).toBe(1);
    expect((await erase(credentialAt(id))).status).toBe(204);
    expect(await keysOf(stream)).toBe(0);
    await sql(first, 'insert into data_keys (stream_id, sealed_key) values ($1, $2)', [stream, backup?.sealed_key]);
    expect(await claimsOf(id)).toBeNull();
    expectRefusal(await requestCredential(session), 400, 'credential_request_denied');
  });

  it('that was sealed before there were any stays readable, gets one, and may lose it again', async () => {
    const [earlier, keys] = await Promise.all([sharedPostgres().createDatabase(), sharedPostgres().createDatabase()]);
    const without = await startOn(earlier, '');
    const { credentialIds } = await prepareOffer(without.url);
    await without.stop();
    const since = await startOn(earlier, keys);
    const read = async ({ url }: RunningService) =>
      (await get(`${url}/v0/credentials/${credentialIds[0] ?? ''}`)).json['credential'];
    const claims = { credentialSubject: { given_name: 'Erika' } };
    expect(await read(since)).toMatchObject(claims);
    const command = (name: string) => sealwrightWith(settingsOf(earlier, keys), ['erasure-keys', name]);
    const sealed = () => sql(earlier, 'select sealed_key from data_keys');
    const before = await sealed();
    expect(await command('add')).toMatchObject({ code: 0, stdout: 'Sealed 1 data key under erasure keys.\n' });
    expect(await sql(keys, 'select from erasure_keys')).toHaveLength(1);
    expect(await sealed()).not.toEqual(before);
    expect(await read(since)).toMatchObject(claims);
    expect((await command('add')).stdout).toBe('Sealed 0 data keys under erasure keys.\n');
    // Only of another process does the command see that it is connected.
    const early = await sealwright(['erasure-keys', 'remove'], {
      SERVICE__PROFILE: 'development',
      ...settingsOf(earlier, keys),
    });
    expect(early.stderr).toMatch(/^The service is connected to the database/);
    await since.stop();
    const removed = await command('remove');
    expect(removed.stdout).toMatch(/^Took 1 data key out from under erasure keys\./);
    const again = await startOn(earlier, '');
    expect(await read(again)).toMatchObject(claims);
    await again.stop();
    await Promise.all([earlier, keys].map(dropDatabase));
  });
});

describe('while the database of erasure keys is away', () => {
  const name = (): string => new URL(second).pathname.slice(1);
  const takeAway = () =>
    sql(first, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name()}'`);
  let early: { readonly credentialIds: readonly string[]; readonly link: string };

  beforeAll(async () => {
    early = await prepareOffer(service.url);
    await sql(first, `alter database ${name()} with allow_connections false`);
    await takeAway();
  });
  const bringBack = () => sql(first, `alter database ${name()} with allow_connections true`);
  afterAll(bringBack);

  it('what needs a key is answered with 503, and everything else as always', async () => {
    const [id = ''] = early.credentialIds;
    const unavailable = await get(credentialAt(id));
    expectProblem(unavailable, 503, 'unavailable');
    expect(unavailable.headers.get('retry-after')).toMatch(/^\d+$/);
    const offerId = 'while-away';
    const body = { offerId, credentialConfigurationId: quickStart, credential: { credentialSubject: {} } };
    expectProblem(await postJson(`${service.url}/v0/credentials`, body), 503, 'unavailable');
    expect((await get(`${service.url}/v0/offers/${offerId}`)).status).toBe(404);
    expect((await get(`${service.url}/v0/credentials`)).status).toBe(200);
    expect((await get(`${service.url}/readyz`)).status).toBe(200);
    await openSession(early.link);
  });

  it('an erasure is carried out as far as possible, is not called done, and is completed when it is back', async () => {
    const [id = ''] = early.credentialIds;
    expectProblem(await erase(credentialAt(id)), 503, 'unavailable');
    expect(await sql(first, 'select from data_keys where stream_id = $1', [`credential-${id}`])).toEqual([]);
    expectProblem(await erase(credentialAt(id)), 503, 'unavailable');
    await bringBack();
    expect(await keysOf(`credential-${id}`)).toBe(1);
    expect((await erase(credentialAt(id))).status).toBe(204);
    expect(await keysOf(`credential-${id}`)).toBe(0);
  });
});

describe('the service does not start', () => {
  let store: string;
  let keys: string;
  let other: string;
  let fresh: string;
  beforeAll(async () => {
    const databases = Array.from({ length: 4 }, () => sharedPostgres().createDatabase());
    [store = '', keys = '', other = '', fresh = ''] = await Promise.all(databases);
    const once = await startOn(store, keys);
    await once.stop();
  });
  afterAll(() => Promise.all([store, keys, other, fresh].map(dropDatabase)));

  it.each([
    ['without its erasure keys', () => [store, ''], 'set SERVICE__ERASURE_KEYS__CONNECTION_STRING'],
    ['with the database of a store in their place', () => [store, first], 'leads to the database of a store'],
    ['with new ones', () => [store, other], 'another database than the one with the erasure keys of this store'],
    ['on a new store with those of another one', () => [fresh, keys], 'leads to the erasure keys of another store'],
  ])('%s', async (_, databases, reason) => {
    const [events = '', erasureKeys = ''] = databases();
    await expect(startOn(events, erasureKeys)).rejects.toThrow(reason);
  });
});
