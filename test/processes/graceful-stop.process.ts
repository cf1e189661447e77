import { setTimeout as delay } from 'node:timers/promises';
import { sharedPostgres } from '../support/database/postgres';
import { openConnection } from '../support/http/raw-connection';
import { type ServiceProcess, startServiceProcess } from '../support/service/service-process';

const postgres = sharedPostgres();
let database: string;
beforeAll(async () => {
  database = await postgres.createDatabase();
}, 60_000);

const started: ServiceProcess[] = [];
afterEach(() => Promise.all(started.splice(0).map((service) => service.stop())));

async function start(): Promise<ServiceProcess> {
  const service = await startServiceProcess(database, undefined, { SERVICE__HTTP__DRAIN_SECONDS: '0' });
  started.push(service);
  return service;
}

const halfBody =
  'POST /v0/offers HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"of';

describe('a service that receives a signal', () => {
  it('answers requests under way, on a connection that then closes', async () => {
    const service = await start();
    const late = await openConnection(service.url);
    late.write(halfBody.replace('99', '17'));
    await delay(200);
    service.signal('SIGTERM');
    await delay(500);
    await expect(openConnection(service.url)).rejects.toThrow('ECONNREFUSED');
    late.write('ferId":"001"}');
    const answer = await late.closed;
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
    expect(answer).toMatch(/\r\nConnection: close\r\n/i);
    expect(await service.ended).toBe(0);
  }, 60_000);

  it.each(['SIGINT', 'SIGHUP'] as const)(
    'ends at once by %s without clients',
    async (signal) => {
      const service = await start();
      const signalled = Date.now();
      service.signal(signal);
      expect(await service.ended).toBe(0);
      expect(Date.now() - signalled).toBeLessThan(2000);
    },
    60_000,
  );

  it('answers requests under way when the terminal and npm both send the signal', async () => {
    const service = await start();
    const late = await openConnection(service.url);
    late.write(halfBody.replace('99', '17'));
    await delay(200);
    service.signal('SIGINT');
    await delay(20);
    service.signal('SIGINT');
    await delay(300);
    late.write('ferId":"002"}');
    expect(await late.closed).toMatch(/^HTTP\/1\.1 201 /);
    expect(await service.ended).toBe(0);
  }, 60_000);

  it('stops waiting when a second one comes after a second', async () => {
    const service = await start();
    const hanging = await openConnection(service.url);
    hanging.write(halfBody);
    await delay(200);
    service.signal('SIGTERM');
    await delay(1200);
    const signalled = Date.now();
    service.signal('SIGTERM');
    expect(await service.ended).toBe(143);
    expect(Date.now() - signalled).toBeLessThan(1000);
    hanging.destroy();
  }, 60_000);
});
