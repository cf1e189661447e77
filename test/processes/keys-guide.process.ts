import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { emptySoftHsm, softHsmLibrary } from '../support/counterparts/soft-hsm';
import { sharedPostgres } from '../support/database/postgres';
import { answered, get, type Json } from '../support/http/requests';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { freePort } from '../support/service/service';
import { startServiceProcess } from '../support/service/service-process';
import { readJwt, verifies } from '../support/wallets/credentials';
import { credentialsOf, openSession, receive, requestCredential } from '../support/wallets/wallet';

const root = join(__dirname, '../..');
const guide = readFileSync(join(root, 'docs/keys.md'), 'utf8');
const [, commands = ''] = /## From an empty SoftHSM to a credential\n[^]*?```sh\n([^]*?)```/.exec(guide) ?? [];

const postgres = sharedPostgres();
let directory: string;
let url: string;
let environment: Record<string, string>;
afterEach(() => {
  rmSync(directory, { recursive: true });
});

/** A folder with what the commands of the guide call, and nothing else of ours. */
async function prepare(): Promise<void> {
  directory = mkdtempSync(join(tmpdir(), 'keys-guide-'));
  const programs = { sealwright: 'apps/cli/src/main.js "$@"', npm: 'apps/server/src/main.js' };
  mkdirSync(join(directory, 'bin'));
  for (const [name, program] of Object.entries(programs)) {
    const path = join(directory, 'bin', name);
    writeFileSync(path, `#!/bin/sh\nexec '${process.execPath}' ${join(root, 'dist', program)}\n`);
    chmodSync(path, 0o755);
  }
  symlinkSync(join(root, 'config'), join(directory, 'config'));
  const port = String(await freePort());
  url = `http://127.0.0.1:${port}`;
  environment = {
    ...emptySoftHsm(directory),
    PATH: `${join(directory, 'bin')}:${process.env['PATH'] ?? ''}`,
    SERVICE__PROFILE: 'development',
    SERVICE__HTTP__PORT: port,
    SERVICE__APPLICATION_URL: url,
    SERVICE__EVENT_STORE__TYPE: 'postgres',
    SERVICE__EVENT_STORE__CONNECTION_STRING: await postgres.createDatabase(),
  };
}

/** Runs commands of a shell, of which the last may be one that stays. */
function run(script: string) {
  const child = spawn('sh', ['-e', '-c', script], {
    cwd: directory,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, ended, output: () => output };
}

const kidOf = (credential: string): string => String(readJwt(credential.split('~')[0] ?? '').header['kid']);
const isPublished = async (credential: string): Promise<boolean> => {
  const { keys } = answered(200, await get(`${url}/jwks.json`)) as { keys: Json[] };
  return keys.some((key) => verifies(credential.split('~')[0] ?? '', key));
};

const where = softHsmLibrary === undefined ? ' (skipped: there is no libsofthsm2.so; install softhsm2)' : '';
const guided = softHsmLibrary === undefined ? it.skip : it;

guided(`docs/keys.md leads from an empty SoftHSM to a credential, and no wallet notices${where}`, async () => {
  await prepare();
  const first = await startServiceProcess(
    environment['SERVICE__EVENT_STORE__CONNECTION_STRING'] ?? '',
    url,
    environment,
  );
  const templateId = await publishedTemplate(url);
  const before = await receive((await prepareOffer(url, [templateId])).link);
  const session = await openSession((await prepareOffer(url, [templateId])).link);
  await first.stop();

  expect(commands).toContain('softhsm2-util --init-token');
  const script = commands
    .replace(/(LIBRARY=)\S+/, `$1${softHsmLibrary ?? ''}`)
    // The shell becomes the service.
    .replace(/^npm start$/m, 'exec npm start');
  const { child, ended, output } = run(script);
  try {
    while (!output().includes('is ready')) {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(output());
      await delay(50);
    }
    const [kid = '', reference = ''] = /ES256: (\S+) is ([0-9a-f]+)\./.exec(output())?.slice(1) ?? [];
    const after = credentialsOf(answered(200, await requestCredential(session)));
    expect(kidOf(after[0] ?? '')).not.toBe(kidOf(before[0] ?? ''));
    for (const credential of [...before, ...after]) expect(await isPublished(credential)).toBe(true);

    const settings = commands
      .match(/^export .*$/gm)
      ?.join('\n')
      .replace(/(LIBRARY=)\S+/, `$1${softHsmLibrary ?? ''}`);
    const list = run(`${settings ?? ''}\nsealwright keys list\nsealwright keys adopt --provider hsm ${reference}`);
    expect([await list.ended, list.output()]).toEqual([0, expect.stringContaining(`hsm ${reference}`)]);
    expect(list.output()).toContain(`ES256: ${kid} is ${reference}.`);
  } finally {
    child.kill();
    await ended;
  }
});
