import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import { createDatabase } from './empty-database';

const settings = {
  // For one connection and a small database, as it was created.
  shared_buffers: '16MB',
  max_connections: '8',
  wal_buffers: '256kB',
  max_wal_senders: '0',
  // As on a server: see postgres.driver.ts.
  enable_seqscan: 'off',
  jit: 'off',
};

export type EmbeddedDatabase = Pick<PGlite, 'close' | 'closed' | 'execProtocolRawStream'>;

/** Opens PostgreSQL in this process. A missing database is created. @param directory that this process has locked */
export async function openEmbedded(directory: string): Promise<EmbeddedDatabase> {
  const dataDir = join(directory, 'database');
  const library = installedLibrary();
  if (!existsSync(dataDir)) await createDatabase(dataDir, library);
  // Loaded here because a service on a PostgreSQL server never needs its 10 MB.
  const { PGlite } = await import('@electric-sql/pglite');
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return PGlite.create({ dataDir, startParams: [...PGlite.defaultStartParams, ...options] });
}

function installedLibrary(): string {
  try {
    return require.resolve('@electric-sql/pglite');
  } catch (error) {
    throw new Error(
      'The embedded event store is not in an installation for production. Run npm ci without --omit=dev, ' +
        'or name a PostgreSQL server in SERVICE__EVENT_STORE__CONNECTION_STRING.',
      { cause: error },
    );
  }
}
