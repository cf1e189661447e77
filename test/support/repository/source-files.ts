import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../../..');

export interface SourceFile {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

/** The files below some folders of the repository, without installed packages. */
export function sourceFiles(folders: readonly string[], isWanted: (path: string) => boolean): SourceFile[] {
  return folders
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
    )
    .filter((path) => !path.includes('/node_modules/') && isWanted(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}
