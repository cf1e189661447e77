import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const checkout = join(__dirname, '../../..');
/** The first version whose stores, tokens and links later ones take. */
const firstPromised = [0, 2, 0] as const;
/** What a build is made of. */
const sources = [
  'apps',
  'libs',
  'config',
  'package-lock.json',
  'nest-cli.json',
  'tsconfig.json',
  'tsconfig.build.json',
];

export interface Release {
  readonly version: string;
  readonly commit: string;
}

/**
 * The newest release that this checkout differs from: the commit that gave package.json its `version`, or the one that
 * `SERVICE_TEST_RELEASE` names. `undefined` before the first release with a promise, in the release itself, and where the
 * history is missing, as in an archive of the sources or a shallow clone.
 */
export function newestRelease(): Release | undefined {
  const named = process.env['SERVICE_TEST_RELEASE'];
  if (named !== undefined) return releaseAt(git('rev-parse', '--verify', `${named}^{commit}`));
  const { version } = packageIn(readFileSync(join(checkout, 'package.json'), 'utf8'));
  if (!existsSync(join(checkout, '.git')) || !isPromised(version)) return undefined;
  // The first commit of a shallow clone seems to have given every file its content.
  if (git('rev-parse', '--is-shallow-repository') === 'true') return undefined;
  const commit = git('log', '-1', '--format=%H', `-S"version": "${version}"`, '--', 'package.json');
  // Not yet committed, or nothing was changed since.
  return commit === '' || git('diff', '--name-only', commit, '--', ...sources) === '' ? undefined : releaseAt(commit);
}

/** @returns the folder of its build, which is kept for the next run */
export function buildRelease({ commit }: Release): string {
  const kept = join(checkout, 'node_modules/.cache/releases');
  const folder = join(kept, commit);
  if (existsSync(folder)) return folder;
  mkdirSync(kept, { recursive: true });
  // TypeScript emits no JSON of a folder in node_modules, so it is built elsewhere.
  const making = mkdtempSync(join(tmpdir(), 'sealwright-release-'));
  const made = join(kept, basename(making));
  try {
    const archive = execFileSync('git', ['archive', commit], { cwd: checkout, maxBuffer: 2 ** 30 });
    execFileSync('tar', ['-x'], { cwd: making, input: archive });
    const has = (path: string) => readFileSync(join(path, 'package-lock.json'), 'utf8');
    const run = (...args: string[]) => execFileSync('npm', args, { cwd: making, stdio: 'pipe' });
    if (has(making) === has(checkout)) {
      symlinkSync(join(checkout, 'node_modules'), join(making, 'node_modules'));
      run('run', '--silent', 'build');
    } else {
      run('ci');
    }
    execFileSync('mv', [making, made]);
    renameSync(made, folder);
  } finally {
    for (const rest of [making, made]) rmSync(rest, { recursive: true, force: true });
  }
  return folder;
}

function releaseAt(commit: string): Release {
  return { commit, version: packageIn(git('show', `${commit}:package.json`)).version };
}

function packageIn(text: string): { readonly version: string } {
  return JSON.parse(text) as { readonly version: string };
}

function isPromised(version: string): boolean {
  const parts = version.split('.').map(Number);
  const at = firstPromised.findIndex((part, index) => part !== parts[index]);
  return at === -1 || (parts[at] ?? 0) > (firstPromised[at] ?? 0);
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: checkout, encoding: 'utf8' }).trim();
}
