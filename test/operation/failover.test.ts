import { connectDriver } from '@app/event-store';
import { Logger } from '@nestjs/common';
import { Client } from 'pg';
import { eventually } from '../event-store/accounts';
import { get, postJson, type Reply } from '../support/http/requests';
import { type ReplicatedPostgres, startReplicatedPostgres } from '../support/database/replicated-postgres';
import { sealwrightWith } from '../support/service/command-line';
import { freePort, type RunningService, startService } from '../support/service/service';

let postgres: ReplicatedPostgres;
let database: string;

beforeAll(async () => {
  postgres = await startReplicatedPostgres();
  database = await postgres.createDatabase();
});
afterAll(() => postgres.stop(), 60_000);

/** The same hosts in another order or with others. */
function withHosts(hosts: readonly string[], attributes = 'read-write'): string {
  return database.replace(/@[^/]+\/(\w+)$/, `@${hosts.join(',')}/$1?target_session_attrs=${attributes}`);
}

const hostOf = (url: string): string => new URL(url).host;

async function nameOfServer(connectionString: string): Promise<string> {
  const driver = await connectDriver({ type: 'postgres', connectionString });
  const [row] = await driver
    .query<{ port: number }>({ name: 'port', text: 'select inet_server_port() as port', values: [] })
    .finally(() => driver.close());
  return `127.0.0.1:${row?.port}`;
}

describe('a connection string with several hosts', () => {
  it('connects to the server that accepts writes, wherever it is in the list, past a host that is down', async () => {
    const [primary, standby] = [hostOf(postgres.primary.url), hostOf(postgres.standby.url)];
    const down = `127.0.0.1:${await freePort()}`;
    for (const hosts of [
      [primary, standby],
      [standby, primary],
      [down, standby, primary],
    ]) {
      expect(await nameOfServer(withHosts(hosts))).toBe(primary);
      expect(await nameOfServer(withHosts(hosts, 'primary'))).toBe(primary);
    }
    expect(await nameOfServer(withHosts([down, standby, primary], 'any'))).toBe(standby);
  });

  it('needs no rights beyond those to connect', async () => {
    const client = new Client({ connectionString: postgres.primary.url });
    await client.connect();
    await client.query(`create role plain login password 'word'`);
    await client.end();
    const [primary, standby] = [hostOf(postgres.primary.url), hostOf(postgres.standby.url)];
    expect(await nameOfServer(withHosts([standby, primary]).replace(/\/\/[^@]+@/, '//plain:word@'))).toBe(primary);
  });

  it('names the hosts that were tried and why, and no password, when none accepts writes', async () => {
    const down = `127.0.0.1:${await freePort()}`;
    const standby = hostOf(postgres.standby.url);
    const { password } = new URL(postgres.primary.url);
    const refused = await nameOfServer(withHosts([down, standby])).catch(String);
    expect(refused).toContain(`No database server accepts writes: ${down} (connect ECONNREFUSED ${down})`);
    expect(refused).toContain(`${standby} (a standby)`);
    expect(refused).not.toContain(password);
    expect(await nameOfServer(withHosts([standby])).catch(String)).toContain('a standby');
  });

  it('to a standby alone: the doctor says that nothing can be written', async () => {
    const url = new URL(database.replace(/@[^/]+/, `@${hostOf(postgres.standby.url)}`));
    const settings = {
      SERVICE__PROFILE: 'development',
      SERVICE__EVENT_STORE__TYPE: 'postgres',
      SERVICE__EVENT_STORE__CONNECTION_STRING: url.href,
    };
    const { stdout } = await sealwrightWith(settings, ['doctor', '--json']);
    const { findings } = JSON.parse(stdout) as { findings: { check: string; outcome: string; found: string }[] };
    expect(findings.find(({ check }) => check === 'writes')).toMatchObject({
      outcome: 'fail',
      found: 'this server is a standby: nothing can be written',
    });
  });
});

describe('a service with a synchronous standby', () => {
  let service: RunningService;
  const logged = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  const created: string[] = [];

  beforeAll(async () => {
    service = await startService({
      SERVICE__EVENT_STORE__TYPE: 'postgres',
      SERVICE__EVENT_STORE__CONNECTION_STRING: withHosts([hostOf(postgres.primary.url), hostOf(postgres.standby.url)]),
    });
  });
  afterAll(() => service.stop(), 60_000);

  async function createOffer(): Promise<Reply> {
    const offerId = `failover-${created.length}`;
    const reply = await postJson(`${service.url}/v0/offers`, { offerId });
    if (reply.status === 201) created.push(offerId);
    return reply;
  }

  const works = async (): Promise<boolean> => (await createOffer()).status === 201;

  it('switches to the promoted standby by itself, and loses nothing acknowledged', async () => {
    expect(await works()).toBe(true);
    expect((await get(`${service.url}/readyz`)).status).toBe(200);
    await postgres.primary.end('KILL');
    const gap = await createOffer();
    expect([gap.status, Number(gap.headers.get('retry-after')) > 0]).toEqual([503, true]);
    await eventually(async () => (await get(`${service.url}/readyz`)).status === 503);
    await postgres.promote();
    await eventually(works, 20_000);
    await eventually(async () => (await get(`${service.url}/readyz`)).status === 200, 20_000);
    for (const offerId of created) expect((await get(`${service.url}/v0/offers/${offerId}`)).status).toBe(200);
    const server = hostOf(postgres.standby.url);
    expect(logged.mock.calls).toContainEqual([{ event: 'database.server-changed', server }]);
  });

  it('does not return to the former primary when that comes back and accepts writes', async () => {
    await postgres.primary.start();
    const client = new Client({ connectionString: postgres.standby.url });
    await client.connect();
    await client.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'sealwright'`);
    await client.end();
    await eventually(works, 20_000);
    for (const offerId of created) expect((await get(`${service.url}/v0/offers/${offerId}`)).status).toBe(200);
    expect(await nameOfServer(withHosts([hostOf(postgres.primary.url), hostOf(postgres.standby.url)]))).toBe(
      hostOf(postgres.standby.url),
    );
  });
});
