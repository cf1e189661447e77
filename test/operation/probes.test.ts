import { OwnCertificates } from '@app/identity';
import { EventStore, SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { ServiceState } from '@app/http';
import { Client } from 'pg';
import { SigningKey } from '@app/keys/src/signing/signing-key';
import { Logger } from '@nestjs/common';
import { eventually } from '../event-store/accounts';
import { startPostgres, type TestPostgres } from '../support/database/postgres';
import { get, type Json, postJson, type Reply } from '../support/http/requests';
import { type RunningService, startService } from '../support/service/service';
import { startTcpProxy, type TcpProxy } from '../support/counterparts/tcp-proxy';

let postgres: TestPostgres;
let proxy: TcpProxy;
let service: RunningService;
const logged = (['log', 'warn', 'error'] as const).map((level) =>
  jest.spyOn(Logger.prototype, level).mockImplementation(() => undefined),
);

beforeAll(async () => {
  postgres = await startPostgres();
  const database = new URL(await postgres.createDatabase());
  proxy = await startTcpProxy({ host: database.hostname, port: Number(database.port) });
  database.port = String(proxy.port);
  service = await startService({
    SERVICE__EVENT_STORE__TYPE: 'postgres',
    SERVICE__EVENT_STORE__CONNECTION_STRING: database.toString(),
  });
  for (const level of logged) level.mockClear();
});
afterAll(async () => {
  await service.stop();
  await proxy.stop();
  await postgres.stop();
});
// Longer than callers share a result.
afterEach(() => new Promise((resolve) => setTimeout(resolve, 300)));

const live = (): Promise<Reply> => get(`${service.url}/livez`);
const ready = (): Promise<Reply> => get(`${service.url}/readyz`);
const names = ['service', 'database', 'migrations', 'subscriptions', 'signing_keys', 'certificates'];
const isReady = async (): Promise<boolean> => (await ready()).status === 200;

/** A 503 that says which of the entries are down. */
function expectDown(reply: Reply, down: readonly string[]): void {
  expect([reply.status, reply.headers.get('cache-control')]).toEqual([503, 'no-store']);
  expect(reply.json['status']).toBe('error');
  expect(Object.keys(reply.json['error'] as Json).sort()).toEqual([...down].sort());
  expect(Object.keys(reply.json['details'] as Json).sort()).toEqual([...names].sort());
}

describe('the probes', () => {
  it('answer unauthenticated callers in the format of Terminus, never from a cache', async () => {
    const [alive, able] = await Promise.all([live(), ready()]);
    for (const reply of [alive, able]) {
      expect([reply.status, reply.headers.get('cache-control')]).toEqual([200, 'no-store']);
      expect(reply.headers.get('content-type')).toContain('application/json');
    }
    expect(alive.json).toEqual({ status: 'ok', info: {}, error: {}, details: {} });
    const info = Object.fromEntries(names.map((name) => [name, { status: 'up' }]));
    expect(able.json).toMatchObject({ status: 'ok', info, error: {}, details: info });
  });

  it('are cheap: concurrent callers share one check', async () => {
    const ping = jest.spyOn(EventStore.prototype, 'look');
    const replies = await Promise.all(Array.from({ length: 30 }, ready));
    expect(replies.map(({ status }) => status)).toEqual(Array(30).fill(200));
    // A slow machine may take longer than a check is shared.
    const looks = ping.mock.calls.length;
    expect(looks).toBeLessThan(8);
    await live();
    expect(ping).toHaveBeenCalledTimes(looks);
    ping.mockRestore();
  });
});

describe('readiness', () => {
  it('ends while the database is down and comes back with it; the process keeps running', async () => {
    proxy.cut();
    const reply = await ready();
    expectDown(reply, ['database', 'migrations', 'subscriptions']);
    expect(reply.text).not.toMatch(/127\.0\.0\.1|postgres|ECONN|password/);
    expect((await live()).status).toBe(200);
    proxy.mend();
    await eventually(isReady);
  });

  it('ends within little more than a second when the database does not answer', async () => {
    proxy.hang();
    const begin = performance.now();
    expectDown(await ready(), ['database', 'migrations', 'subscriptions']);
    expect(performance.now() - begin).toBeLessThan(2_000);
    proxy.mend();
    await eventually(isReady);
  });

  it('lasts when a newer release has added to the tables, and ends when they differ', async () => {
    const driver = service.app.get<SqlDriver>(SQL_DRIVER);
    let changes = 0;
    const change = (text: string): Promise<unknown> => driver.query({ name: `probes-${changes++}`, text, values: [] });
    await change(`insert into schema_migrations (number, name, checksum) values (999, '0999_later.sql', 'x')`);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await isReady()).toBe(true);
    await change('delete from schema_migrations where number = 999');
    await change(`update schema_migrations set checksum = 'x' || checksum where number = 1`);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expectDown(await ready(), ['migrations']);
    await change(`update schema_migrations set checksum = substr(checksum, 2) where number = 1`);
    await eventually(isReady);
  });

  it('ends when the database accepts no writes', async () => {
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    await client.query('alter system set default_transaction_read_only = on');
    try {
      await client.query('select pg_reload_conf()');
      await eventually(async () => !(await isReady()));
      const reply = await ready();
      expectDown(reply, ['database']);
      expect(reply.text).toContain('it accepts no writes');
    } finally {
      await client.query('alter system reset default_transaction_read_only');
      await client.query('select pg_reload_conf()');
      await client.end();
    }
    await eventually(isReady);
  });

  it('ends when the disk of the database is full, which reads do not notice, and comes back with the space', async () => {
    const probed = jest.spyOn(EventStore.prototype, 'tryWrite').mockResolvedValue({ fault: 'disk-full' });
    await eventually(async () => !(await isReady()));
    const reply = await ready();
    expectDown(reply, ['database']);
    expect(reply.text).toContain('its disk is full');
    probed.mockRestore();
    await eventually(isReady);
  });

  it('tries a write once in seconds, whoever asks', async () => {
    const probed = jest.spyOn(EventStore.prototype, 'tryWrite');
    for (let i = 0; i < 8; i++) {
      await ready();
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    const tries = probed.mock.calls.length;
    probed.mockRestore();
    expect(tries).toBeLessThan(4);
  });

  it.each([61_000, -61_000])('ends when the clock of the database is %d ms away', async (clockAhead) => {
    const look = jest.spyOn(EventStore.prototype, 'look').mockResolvedValue({ clockAhead, readOnly: false });
    const reply = await ready();
    look.mockRestore();
    expectDown(reply, ['database']);
    expect(reply.text).toContain('clock');
    await eventually(isReady);
  });

  it('ends when a signing key does not sign', async () => {
    const failing = jest.spyOn(SigningKey.prototype, 'signNow').mockImplementation(() => {
      throw new Error('secret of the key');
    });
    const reply = await ready();
    failing.mockRestore();
    expectDown(reply, ['signing_keys']);
    expect(reply.text).toContain('ES256 and EdDSA');
    expect(reply.text).not.toContain('secret');
  });

  it('ends when a certificate in use has expired', async () => {
    const own = service.app.get(OwnCertificates);
    const ends = own.inUse(new Date()).map(({ notAfter }) => notAfter.getTime());
    const real = own.expired.bind(own);
    const later = new Date(Math.max(...ends));
    const expired = jest.spyOn(own, 'expired').mockImplementation(() => real(later));
    const reply = await ready();
    expired.mockRestore();
    expectDown(reply, ['certificates']);
    expect(reply.text).toContain('that for credentials, requests and documents has expired');
    await eventually(isReady);
  });

  it('lasts while a subscription is behind, and reports by how much', async () => {
    const store = service.app.get(EventStore);
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const subscription = store.subscribe('held back', () => held);
    await postJson(`${service.url}/v0/offers`, { offerId: 'behind' });
    const lag = async (): Promise<unknown> => {
      const { subscriptions } = (await ready()).json['details'] as { subscriptions: { lagSeconds: Json } };
      return subscriptions.lagSeconds['held back'];
    };
    await eventually(async () => Number(await lag()) > 0.5);
    expect((await ready()).status).toBe(200);
    goOn();
    await eventually(async () => (await lag()) === 0);
    await subscription.stop();
  });

  it('leaves no line in the log, failed or not', () => {
    const lines = logged.flatMap((level) => level.mock.calls as unknown[][]).map(([line]) => JSON.stringify(line));
    // Other parts log the outages, too.
    const ofOthers = /keys\.refresh-failed|erasures\.unknown|webhooks\.failed|imports\.failed|subscription\.retrying/;
    expect(lines.filter((line) => !ofOthers.test(line))).toEqual([]);
  });

  // The last test: this cannot be undone.
  it('ends as soon as the process is stopped, while requests are still answered', async () => {
    service.app.get(ServiceState).stop();
    const reply = await ready();
    expectDown(reply, ['service']);
    expect((reply.json['error'] as Json)['service']).toEqual({ status: 'down', message: 'stopping' });
    expect((await live()).status).toBe(200);
    expect((await get(`${service.url}/v0/offers/behind`)).status).toBe(200);
  });
});
