import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The text of a file that pages load, as it is served. */
export function pageFile(name: string): string {
  return readFileSync(join(__dirname, 'files', name), 'utf8');
}
