import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(__dirname, '../..');
const page = readFileSync(join(root, 'docs/wallet-generations.md'), 'utf8');

/** Where the page says that names without a folder are, and where the endpoints are. */
const libraries = ['libs/openid4vc/src', 'libs/authorization/src', 'libs/issuance/src', 'libs/verification/src'];
const folders = ['', ...libraries.flatMap(foldersIn)];
const named = [...page.matchAll(/`([\w/<>.-]+\.ts)`/g)].flatMap(([, name]) => name ?? []);

function foldersIn(folder: string): string[] {
  const inner = readdirSync(join(root, folder), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  return [folder, ...inner.map((entry) => relative(root, join(entry.parentPath, entry.name)))];
}

function placesOf(name: string): string[] {
  const formats = readdirSync(join(root, 'libs/openid4vc/src/formats'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
  return name.includes('<format>') ? formats.map((format) => name.replace('<format>', format)) : [name];
}

function isThere(name: string): boolean {
  return placesOf(name).every((place) => folders.some((folder) => existsSync(join(root, folder, place))));
}

describe('docs/wallet-generations.md', () => {
  it('names files that exist', () => {
    expect(named.length).toBeGreaterThan(30);
    expect(isThere('no-such-file.ts')).toBe(false);
    expect(named.filter((name) => !isThere(name))).toEqual([]);
  });
});
