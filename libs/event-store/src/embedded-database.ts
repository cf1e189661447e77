import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { PGlite } from '@electric-sql/pglite';

/** What it is started with, in place of what suits a server with its own memory and a hundred connections. */
const settings = {
  shared_buffers: '16MB',
  wal_buffers: '256kB',
  max_connections: '8',
  max_wal_senders: '0',
  // As on a server: see postgres.driver.ts.
  enable_seqscan: 'off',
  jit: 'off',
};

/** initdb tries out which settings the machine can do with, and writes files for them; segments of the log have 16 MB by default. */
const initialization = ['--wal-segsize=1', '--no-sync', '-c', 'shared_buffers=16MB', '-c', 'max_connections=8'];

export type EmbeddedDatabase = Pick<PGlite, 'close' | 'closed' | 'execProtocolRawStream'>;

/** Opens PostgreSQL in this process. A missing database is created. @param directory that this process has locked */
export async function openEmbedded(directory: string): Promise<EmbeddedDatabase> {
  const dataDir = join(directory, 'database');
  if (!existsSync(dataDir)) await create(dataDir);
  // Loaded here because a service on a PostgreSQL server never needs its 10 MB.
  const { PGlite } = await import('@electric-sql/pglite');
  const set = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return PGlite.create({ dataDir, startParams: [...PGlite.defaultStartParams, ...set] });
}

// Compiled once and quickly: what runs for a second does not win back the time of a better compilation.
const creator = `require('node:v8').setFlagsFromString('--liftoff-only');
import(process.argv[1]).then(async ({ PGlite }) => {
  const database = await PGlite.create({ dataDir: process.argv[2], initDbStartParams: process.argv.slice(3) });
  await database.close();
});`;

/** In a process of its own, as initdb takes 600 MB that no process gives back, and complete or not at all. */
async function create(dataDir: string): Promise<void> {
  const unfinished = await mkdtemp(`${dataDir}-`);
  try {
    const library = pathToFileURL(require.resolve('@electric-sql/pglite')).href;
    await promisify(execFile)(process.execPath, ['--eval', creator, library, unfinished, ...initialization]);
    await rename(unfinished, dataDir);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}
