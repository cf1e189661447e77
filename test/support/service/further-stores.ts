import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stores } from '@app/event-store';
import { Client } from 'pg';
import { startTcpProxy, type TcpProxy } from '../counterparts/tcp-proxy';
import { startWebhookReceiver, type WebhookReceiver } from '../counterparts/webhook-receiver';
import { dropDatabase, sharedPostgres } from '../database/postgres';
import type { Json } from '../http/requests';
import type { RunningService } from './service';
import { serviceOfFile } from './service-of-file';

/** A service whose tenants may live in a second database, `north`, which is reached through a proxy. */
export interface FurtherStores {
  readonly service: RunningService;
  readonly settings: () => Record<string, string>;
  /** Of the connection string of a store. */
  readonly file: (name: string) => string;
  /** Names a store to the service, which looks at once. */
  readonly joinStore: (name: string, connectionString: string) => Promise<void>;
  readonly north: () => string;
  /** `north` by the proxy. */
  readonly through: () => string;
  readonly proxy: () => TcpProxy;
  readonly receiver: () => WebhookReceiver;
  readonly stores: () => Stores;
  readonly rowsOf: (connectionString: string, text: string) => Promise<Json[]>;
}

export function furtherStores(): FurtherStores {
  let settings: Record<string, string>;
  let directory: string;
  let north: string;
  let proxy: TcpProxy;
  let receiver: WebhookReceiver;
  const service = serviceOfFile(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stores-'));
    settings = {
      SERVICE__EVENT_STORE__TYPE: 'postgres',
      SERVICE__EVENT_STORE__CONNECTION_STRING: await sharedPostgres().createDatabase(),
      SERVICE__STORES__DIRECTORY: directory,
      SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: '127.0.0.1',
      SERVICE__EVENTS__HEARTBEAT_SECONDS: '1',
      SERVICE__METRICS__ENABLED: 'true',
      SERVICE__METRICS__PORT: '0',
    };
    return settings;
  });
  beforeAll(async () => {
    north = await sharedPostgres().createDatabase();
    const { hostname: host, port } = new URL(north);
    proxy = await startTcpProxy({ host, port: Number(port) });
    receiver = await startWebhookReceiver();
  });
  afterAll(async () => {
    await proxy.stop();
    await receiver.stop();
    await dropDatabase(String(settings['SERVICE__EVENT_STORE__CONNECTION_STRING']));
    await dropDatabase(north);
    await rm(directory, { recursive: true });
  });
  const stores = (): Stores => service.app.get(Stores, { strict: false });
  return {
    service,
    settings: () => settings,
    file: (name) => join(directory, name),
    async joinStore(name, connectionString) {
      await writeFile(join(directory, name), connectionString);
      await stores().look();
    },
    north: () => north,
    through() {
      const url = new URL(north);
      url.port = String(proxy.port);
      return url.toString();
    },
    proxy: () => proxy,
    receiver: () => receiver,
    stores,
    async rowsOf(connectionString, text) {
      const client = new Client({ connectionString });
      await client.connect();
      try {
        return (await client.query<Json>(text)).rows;
      } finally {
        await client.end();
      }
    },
  };
}
