import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const patience = 30_000;

export interface ServiceProcess {
  /** Where this machine reaches it, without a trailing slash. */
  readonly url: string;
  /** A directory of this run, removed when the service stops. */
  readonly directory: string;
  stop(): Promise<void>;
}

/**
 * Starts the built service as a user would: development profile, a fresh embedded store, a free port.
 * @param reach where the links for wallets lead: to loopback, or to the address of this machine in its network
 */
export async function startServiceProcess(reach: 'this machine' | 'network'): Promise<ServiceProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'sealwright-demo-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [join(__dirname, '../../apps/server/src/main.js')], {
    env: {
      SERVICE__PROFILE: 'development',
      SERVICE__HTTP__PORT: String(port),
      ...(reach === 'this machine' && { SERVICE__APPLICATION_URL: url }),
      SERVICE__EVENT_STORE__CONNECTION_STRING: join(directory, 'store'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    await rm(directory, { recursive: true, force: true });
  };
  const ready = await Promise.race([answers(`${url}/v0/credential_configurations`), ended.then(() => false)]);
  if (ready) return { url, directory, stop };
  await stop();
  throw new Error(`the service did not start:\n${output}`);
}

async function answers(address: string): Promise<boolean> {
  const start = Date.now();
  while (Date.now() - start < patience) {
    const response = await fetch(address).catch(() => undefined);
    if (response?.ok) return true;
    await delay(50);
  }
  return false;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
