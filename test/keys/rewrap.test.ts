import { openDriver, type SqlDriver } from '@app/event-store';
import {
  changePassword,
  checkDataKeys,
  checkKeyRows,
  KeyStoreLockedError,
  openCheckingKeys,
  rewrap,
  Sealer,
} from '@app/keys';
import { setTimeout as delay } from 'node:timers/promises';
import { sharedPostgres } from '../support/database/postgres';
import { answered, get, postJson } from '../support/http/requests';
import { prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { credentialsOf, openSession, receive, requestCredential } from '../support/wallets/wallet';

const publicUrl = 'https://credentials.example';
const oldPassword = 'Canary-old-password-7f3a91';
const newPassword = 'Canary-new-password-7f3a91';
const silent = { step: () => undefined, dataKeys: () => undefined };
/** Replicas here refresh every two seconds and answer in milliseconds. */
const pauses = { knownMs: 3_000, settledMs: 4_000 };

let database: string;
let driver: SqlDriver;
let one: RunningService;
let other: RunningService;
/** The replica behind the public address. */
let front: RunningService;
const started: RunningService[] = [];

async function start(password: string): Promise<RunningService> {
  const service = await startService({
    SERVICE__APPLICATION_URL: publicUrl,
    SERVICE__EVENT_STORE__TYPE: 'postgres',
    SERVICE__EVENT_STORE__CONNECTION_STRING: database,
    SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD: password,
  });
  started.push(service);
  return service;
}

beforeAll(async () => {
  database = await sharedPostgres().createDatabase();
  driver = await openDriver({ type: 'postgres', connectionString: database });
  one = await start(oldPassword);
  other = await start(oldPassword);
  front = one;
  const direct = globalThis.fetch;
  jest.spyOn(globalThis, 'fetch').mockImplementation((url, init) => {
    const address = url instanceof Request ? url.url : String(url);
    return direct(address.startsWith(publicUrl) ? front.url + address.slice(publicUrl.length) : address, init);
  });
});
afterAll(async () => {
  jest.restoreAllMocks();
  await Promise.all(started.map((service) => service.stop()));
  await driver.close();
});

const sql = <T>(text: string): Promise<T[]> => driver.query<T>({ name: '', text, values: [] });

/** The keys as an attacker with a copy of the database has them. */
async function dump(): Promise<Map<string, string>> {
  const rows = await sql<{ name: string; sealed: string }>(
    `select id as name, sealed from key_store
     union all select stream_id, encode(sealed_key, 'hex') from data_keys`,
  );
  return new Map(rows.map(({ name, sealed }) => [name, sealed]));
}

const claims = { credential: { credentialSubject: { given_name: 'Ada' } } };

async function prepared(service: RunningService) {
  front = service;
  return prepareOffer(service.url, [quickStart], {}, claims);
}

/** Of the tenant `town`. */
async function preparedByTenant(service: RunningService) {
  front = service;
  const url = `${service.url}/t/town`;
  return prepareOffer(url, [await publishedTemplate(url)], {}, claims);
}

async function readClaims(service: Pick<RunningService, 'url'>, credentialId: string): Promise<string> {
  return (await get(`${service.url}/v0/credentials/${credentialId}`)).text;
}

async function findings(password: string): Promise<string[]> {
  const keys = await openCheckingKeys(driver, password);
  const found: string[] = [];
  for await (const { subject, fault } of checkKeyRows(driver, keys)) found.push(`${subject} ${fault}`);
  for await (const { subject, fault } of checkDataKeys(driver, keys.roots, () => undefined))
    found.push(`${subject} ${fault}`);
  return found;
}

/** Keeps both replicas at work: each request is sent to both, and once more to one of them; ends with what was done twice. */
function load(): () => Promise<{ turns: number; faults: unknown[] }> {
  const faults: unknown[] = [];
  let isOver = false;
  const once = async (path: string, body: object, key: string, member: string): Promise<void> => {
    const ask = (service: RunningService) => postJson(`${service.url}/v0/${path}`, body, { 'Idempotency-Key': key });
    const answers = [...(await Promise.all([ask(one), ask(other)])), await ask(other)];
    const values = new Set(answers.map(({ json }) => json[member]));
    if (values.size !== 1 || values.has(undefined)) faults.push([key, ...answers.map(({ text }) => text)]);
  };
  const work = async (): Promise<number> => {
    let turns = 0;
    for (; !isOver; turns++) {
      const offerId = `offer-${turns}`;
      await once('offers', { offerId }, offerId, 'credentialOffer');
      const body = { offerId, credentialConfigurationId: quickStart, ...claims };
      await once('credentials', body, `credential-${turns}`, 'credentialId');
    }
    return turns;
  };
  const done = work();
  return async () => {
    isOver = true;
    return { turns: await done, faults };
  };
}

describe('a new password and a new root key, while two replicas work', () => {
  it('keep everything made before usable, and keep everything new from an attacker with the old ones', async () => {
    const open = await prepared(one);
    answered(201, await postJson(`${one.url}/v0/tenants`, { tenantId: 'town', displayName: 'Town' }));
    const ofTenant = await preparedByTenant(one);
    const begun = await openSession((await prepared(other)).link);
    const [early = ''] = await receive((await prepared(one)).link);
    const backup = await dump();
    const backupDatabase = await copyOfKeys();

    await changePassword(driver, oldPassword, newPassword);
    await expect(openCheckingKeys(driver, oldPassword)).rejects.toThrow(KeyStoreLockedError);
    const finishLoad = load();
    expect(await rewrap(driver, newPassword, pauses, silent)).toEqual({ closed: [] });
    const { turns, faults } = await finishLoad();
    expect(faults).toEqual([]);
    expect(turns).toBeGreaterThan(10);

    // Nothing is under the old root key: each row was resealed.
    const after = await dump();
    expect([...backup].filter(([name, sealed]) => after.get(name) === sealed)).toEqual([]);
    expect(await findings(newPassword)).toEqual([]);
    expect(after.get('root-handover:3')).toBe('');

    // Flows begun before continue, on the running replicas and on one that starts now.
    const fresh = await start(newPassword);
    await expect(start(oldPassword)).rejects.toThrow('The key store stays locked');
    for (const service of [one, other, fresh]) {
      front = service;
      expect(await readClaims(service, open.credentialIds[0] ?? '')).toContain('Ada');
      const tenant = { url: `${service.url}/t/town` };
      expect(await readClaims(tenant, ofTenant.credentialIds[0] ?? '')).toContain('Ada');
    }
    front = other;
    expect(credentialsOf(answered(200, await requestCredential(begun)))).toHaveLength(1);
    front = fresh;
    expect(await receive(open.link)).toHaveLength(1);
    expect(early).not.toBe('');

    // The earlier backup and the old password open nothing that was written or resealed since.
    const made = await prepared(one);
    const old = (await openCheckingKeys(backupDatabase, oldPassword)).roots;
    const rows = await sql<{ streamId: string; sealed: Buffer }>(
      'select stream_id as "streamId", sealed_key as sealed from data_keys',
    );
    expect(rows.map(({ streamId }) => streamId)).toContain(`credential-${made.credentialIds[0] ?? ''}`);
    for (const { streamId, sealed } of rows)
      await expect(async () => new Sealer(old).unwrap(sealed, streamId)).rejects.toThrow();
    await backupDatabase.close();
  });

  /** A database with the key store as it is now. */
  async function copyOfKeys(): Promise<SqlDriver> {
    const copy = await openDriver({ type: 'postgres', connectionString: await sharedPostgres().createDatabase() });
    const rows = await sql<Record<string, unknown>>('select id, purpose, status, sealed from key_store');
    for (const { id, purpose, status, sealed } of rows) {
      await copy.query({
        name: 'copy',
        text: 'insert into key_store (id, purpose, status, sealed) values ($1, $2, $3, $4)',
        values: [id, purpose, status, sealed],
      });
    }
    return copy;
  }
});

describe('a data key', () => {
  it('of another stream, from before, or under a former root key does not open', async () => {
    const [ada, eve] = [await prepared(one), await prepared(one)].map(({ credentialIds: [id] }) => id ?? '');
    const keyOf = async (id = ''): Promise<string> => (await dump()).get(`credential-${id}`) ?? '';
    const before = await keyOf(ada);
    const put = (key: string): Promise<unknown> =>
      sql(`update data_keys set sealed_key = decode('${key}', 'hex') where stream_id = 'credential-${ada ?? ''}'`);
    await put(await keyOf(eve));
    expect(await findings(newPassword)).toEqual([
      `data key of credential-${ada ?? ''} cannot be opened for its stream`,
    ]);
    expect((await get(`${one.url}/v0/credentials/${ada ?? ''}`)).status).toBe(500);
    await put(before);
    expect(await readClaims(one, ada ?? '')).toContain('Ada');
    await rewrap(driver, newPassword, pauses, silent);
    await put(before);
    expect(await findings(newPassword)).toEqual([
      `data key of credential-${ada ?? ''} cannot be opened for its stream`,
    ]);
    await delay(2_500);
    expect((await get(`${one.url}/v0/credentials/${ada ?? ''}`)).status).toBe(500);
  });
});
