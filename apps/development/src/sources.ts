import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

export const root = join(__dirname, '../../../..');

/** What the service consists of; the rest is built by `npm run build` only. */
export const folders = ['apps/server/src', 'libs'] as const;

/** @param path from the root of the repository */
export function isSource(path: string): boolean {
  return /^(apps\/server|libs\/[^/]+)\/src\/.*(?<!\.spec)\.(ts|sql|json|js|css)$/.test(path);
}

/** The sources that are newer than what was built of them, by path from the root of the repository. */
export async function changedSources(): Promise<string[]> {
  const paths = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(join(root, folder), { recursive: true })).map((path) => join(folder, path)),
    ),
  );
  const sources = paths.flat().filter(isSource);
  const isChanged = await Promise.all(
    sources.map(async (path) => (await changedAt(path)) > (await changedAt(builtOf(path)))),
  );
  return sources.filter((_, index) => isChanged[index]);
}

/** Milliseconds; 0 for what does not exist. */
async function changedAt(path: string): Promise<number> {
  const { mtimeMs } = await stat(join(root, path)).catch(() => ({ mtimeMs: 0 }));
  return mtimeMs;
}

/** @returns by path from the root of the repository */
export function builtOf(path: string): string {
  return join('dist', path.replace(/\.ts$/, '.js'));
}
