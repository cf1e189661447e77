import { execFile, type ExecFileException } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

/** Segments of the log have 16 MB otherwise. */
const initialization = ['--wal-segsize=1', '--no-sync', '-c', 'shared_buffers=16MB', '-c', 'max_connections=8'];

// Compiled quickly rather than well: what runs for a second does not win back the time of a better compilation.
const creator = `require('node:v8').setFlagsFromString('--liftoff-only');
import(process.argv[1])
  .then(({ PGlite }) => PGlite.create({ dataDir: process.argv[2], initDbStartParams: process.argv.slice(3) }))
  .then((database) => database.close())
  .catch((error) => {
    process.stderr.write(error.message);
    process.exitCode = 1;
  });`;

/**
 * A new database, completely or not at all: a copy of the one that the build has left, which takes a tenth of a second.
 * Creating one takes two, and 600 MB of memory. @param library of PGlite
 */
export async function createDatabase(dataDir: string, library: string): Promise<void> {
  const prepared = preparedDatabase(library);
  await completely(dataDir, (unfinished) =>
    existsSync(prepared) ? cp(prepared, unfinished, { recursive: true }) : initialize(unfinished, library),
  );
}

/** Leaves a database for later copies. @returns where */
async function prepareDatabase(library: string): Promise<string> {
  const prepared = preparedDatabase(library);
  if (existsSync(prepared)) return prepared;
  await mkdir(dirname(prepared), { recursive: true });
  await completely(prepared, (unfinished) => initialize(unfinished, library));
  return prepared;
}

/** Among the packages, so that it goes with the version that has made it. */
function preparedDatabase(library: string): string {
  return join(dirname(dirname(library)), '.sealwright', 'empty-database');
}

async function completely(directory: string, fill: (unfinished: string) => Promise<void>): Promise<void> {
  const unfinished = await mkdtemp(`${directory}-`);
  try {
    await fill(unfinished);
    await rename(unfinished, directory);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    // Another process was faster.
    if (existsSync(directory)) return;
    throw new Error(`The embedded database ${directory} could not be created: ${reasonOf(error)}`, { cause: error });
  }
}

/** In a process of its own, because a process keeps the memory that initdb takes until it ends. */
async function initialize(dataDir: string, library: string): Promise<void> {
  const address = pathToFileURL(library).href;
  await promisify(execFile)(process.execPath, ['--eval', creator, address, dataDir, ...initialization]);
}

/** The message of an `execFile` that failed repeats the whole program. */
function reasonOf(error: unknown): string {
  const { stderr = '', signal, message } = error as ExecFileException;
  if (stderr !== '') return stderr.trim();
  return signal ? `its process was ended by ${signal}; it needs 600 MB of memory.` : message;
}

// Run by the build.
if (require.main === module) void prepareDatabase(require.resolve('@electric-sql/pglite'));
