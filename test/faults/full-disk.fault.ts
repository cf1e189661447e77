import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { eventually } from '../event-store/accounts';
import { sealwright } from '../support/service/command-line';
import { get } from '../support/http/requests';
import { reckon, startOfferLoad } from '../support/portal/offer-load';
import { createDatabase } from '../support/database/postgres';
import { serverOwner, usableBinaries } from '../support/database/postgres-binaries';
import { initialize, type PostgresServer, prepareServer } from '../support/database/postgres-server';
import { type ServiceProcess, startServiceProcess } from '../support/service/service-process';

const mebi = 1024 * 1024;

let disk: string;
let programs: string;
let server: PostgresServer;
let database: string;
let service: ServiceProcess;

// A disk of its own, which only root can make.
const itAsRoot = process.getuid?.() === 0 ? it : it.skip;

async function prepare(): Promise<void> {
  disk = mkdtempSync(join(tmpdir(), 'postgres-disk-'));
  programs = mkdtempSync(join(tmpdir(), 'postgres-programs-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'tmpfs', disk]);
  const owner = serverOwner();
  const place = {
    native: usableBinaries(programs, owner),
    directory: disk,
    owner,
    password: randomBytes(12).toString('hex'),
  };
  initialize(place);
  server = await prepareServer(place, { max_wal_size: '48MB', min_wal_size: '32MB' });
  await server.start();
  database = await createDatabase(server.url);
  service = await startServiceProcess(database);
}

async function tidy(): Promise<void> {
  await service.stop();
  await server.stop();
  execFileSync('umount', [disk]);
  rmdirSync(disk);
  rmSync(programs, { recursive: true });
}

async function answers(): Promise<boolean> {
  const client = new Client({ connectionString: server.url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

itAsRoot(
  'a disk that is full: every client gets 503, nothing half-done remains, and free space is all that is needed to go on',
  async () => {
    await prepare();
    try {
      const load = startOfferLoad(service.url, 100);
      const count = (status: number): number => load.answers.filter((each) => each.status === status).length;
      await eventually(() => count(201) > 300, 60_000);
      const { bavail, bsize } = statfsSync(disk);
      const ballast = join(disk, 'ballast');
      writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - mebi)));
      const begin = performance.now();
      await eventually(() => count(503) > 500, 120_000);
      const settings = {
        SERVICE__PROFILE: 'development',
        SERVICE__EVENT_STORE__TYPE: 'postgres',
        SERVICE__EVENT_STORE__CONNECTION_STRING: database,
      };
      await eventually(async () => (await get(`${service.url}/readyz`)).status === 503, 10_000);
      const readiness = (await get(`${service.url}/readyz`)).text;
      const found = (await sealwright(['doctor'], settings)).stdout;
      rmSync(ballast);
      // Without space for its log PostgreSQL ends, and its supervisor starts it again.
      await delay(3_000);
      const hadEnded = !(await answers());
      if (hadEnded) await server.start();
      const room = performance.now();
      const before = count(201);
      await eventually(() => count(201) > before + 300, 60_000);
      const all = await load.stop();
      const lastRefusal = Math.max(room, ...all.filter(({ status }) => status !== 201).map(({ sentAt }) => sentAt));
      const figures = { ...(await reckon(all, database)), hadEnded, normalAfterMs: Math.round(lastRefusal - room) };
      process.stdout.write(`a full disk, ${Math.round((room - begin) / 1000)} s: ${JSON.stringify(figures)}\n`);
      expect(figures).toMatchObject({ unanswered: 0, lost: 0, refusedButStored: 0 });
      expect(figures.slowestMilliseconds).toBeLessThan(10_500);
      // Where PostgreSQL has ended, both say that instead.
      expect(readiness).toMatch(/its disk is full|no answer/);
      expect(found).toMatch(/^fail {2}(writes +the disk of the server is full|database)/m);
      await eventually(async () => (await get(`${service.url}/readyz`)).status === 200, 10_000);
      expect(await sealwright(['verify-store'], settings)).toMatchObject({ code: 0 });
    } finally {
      await tidy();
    }
  },
  300_000,
);
