import { Listeners } from '@app/http';
import type { INestApplication } from '@nestjs/common';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from '../../../apps/server/src/http';
import { dropDatabase, sharedPostgres } from '../database/postgres';

export interface RunningService {
  /** Public URL, without a trailing slash. */
  readonly url: string;
  /** Where the management API is; the same as `url` unless the settings give it another port. */
  readonly managementUrl: string;
  readonly app: INestApplication;
  stop(): Promise<void>;
}

/** The product as users meet it, in this process: development profile, its own empty database, a free loopback port. */
export async function startService(settings: Readonly<Record<string, string>> = {}): Promise<RunningService> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const directory = await mkdtemp(join(tmpdir(), 'sealwright-test-'));
  const bringsStore = Object.keys(settings).some((name) => name.startsWith('SERVICE__EVENT_STORE__'));
  const database = bringsStore ? undefined : await sharedPostgres().createDatabase();
  const app = await createServer({
    logger: false,
    environment: {
      SERVICE__PROFILE: 'development',
      SERVICE__HTTP__PORT: String(port),
      SERVICE__APPLICATION_URL: url,
      SERVICE__EVENT_STORE__CONNECTION_STRING: database ?? join(directory, 'store'),
      ...(database !== undefined && { SERVICE__EVENT_STORE__TYPE: 'postgres' }),
      ...settings,
    },
  });
  const { managementPort } = await app.get(Listeners).open('127.0.0.1');
  return {
    url,
    managementUrl: `http://127.0.0.1:${managementPort}`,
    app,
    async stop() {
      await app.close();
      await rm(directory, { recursive: true, force: true });
      if (database !== undefined) await dropDatabase(database);
    },
  };
}

/** A TCP port on loopback that is free at the moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createTcpServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (typeof address === 'object' && address !== null) resolve(address.port);
        else reject(new Error('the system gave no port'));
      });
    });
  });
}
