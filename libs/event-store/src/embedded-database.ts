import { execFile, type ExecFileException } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { PGlite } from '@electric-sql/pglite';

/** For one connection and a small database; initdb, which runs with them too, chooses for a server with a hundred. */
const size = { shared_buffers: '16MB', max_connections: '8' };
const settings = {
  ...size,
  wal_buffers: '256kB',
  max_wal_senders: '0',
  // As on a server: see postgres.driver.ts.
  enable_seqscan: 'off',
  jit: 'off',
};

/** Segments of the log have 16 MB otherwise. */
const initialization = ['--wal-segsize=1', '--no-sync', ...optionsOf(size)];

export type EmbeddedDatabase = Pick<PGlite, 'close' | 'closed' | 'execProtocolRawStream'>;

/** Opens PostgreSQL in this process. A missing database is created. @param directory that this process has locked */
export async function openEmbedded(directory: string): Promise<EmbeddedDatabase> {
  const dataDir = join(directory, 'database');
  if (!existsSync(dataDir)) await create(dataDir);
  // Loaded here because a service on a PostgreSQL server never needs its 10 MB.
  const { PGlite } = await import('@electric-sql/pglite');
  return PGlite.create({ dataDir, startParams: [...PGlite.defaultStartParams, ...optionsOf(settings)] });
}

function optionsOf(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

// Compiled quickly rather than well: what runs for a second does not win back the time of a better compilation.
const creator = `require('node:v8').setFlagsFromString('--liftoff-only');
import(process.argv[1])
  .then(({ PGlite }) => PGlite.create({ dataDir: process.argv[2], initDbStartParams: process.argv.slice(3) }))
  .then((database) => database.close())
  .catch((error) => {
    process.stderr.write(error.message);
    process.exitCode = 1;
  });`;

/** Completely or not at all, and in a process of its own: initdb takes 600 MB, which the process keeps until it ends. */
async function create(dataDir: string): Promise<void> {
  const unfinished = await mkdtemp(`${dataDir}-`);
  try {
    const library = pathToFileURL(require.resolve('@electric-sql/pglite')).href;
    await promisify(execFile)(process.execPath, ['--eval', creator, library, unfinished, ...initialization]);
    await rename(unfinished, dataDir);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw new Error(`The embedded database ${dataDir} could not be created: ${reasonOf(error)}`, { cause: error });
  }
}

/** The message of an `execFile` that failed repeats the whole program. */
function reasonOf(error: unknown): string {
  const { stderr = '', signal, message } = error as ExecFileException;
  if (stderr !== '') return stderr.trim();
  return signal ? `its process was ended by ${signal}; it needs 600 MB of memory.` : message;
}
