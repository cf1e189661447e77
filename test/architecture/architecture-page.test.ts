import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(__dirname, '../..');
const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');

const files = ['apps', 'libs', 'docs'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true }).map((entry) =>
    relative(root, join(entry.parentPath, entry.name)),
  ),
);
const isThere = (name: string): boolean => files.some((file) => file === name || file.endsWith(`/${name}`));
const namesIn = (pattern: RegExp): string[] => [...page.matchAll(pattern)].flatMap(([, name]) => name ?? []);

describe('docs/architecture.md', () => {
  it('names files and folders that exist', () => {
    const named = [...namesIn(/`([\w/.-]+\.(?:ts|md|json))`/g), ...namesIn(/`((?:libs|apps|docs)\/[\w/-]+)`/g)];
    expect(named.length).toBeGreaterThan(25);
    expect(isThere('no-such-file.ts')).toBe(false);
    expect(named.filter((name) => !isThere(name))).toEqual([]);
    expect(namesIn(/\]\(([\w/.-]+)\)/g).filter((link) => !isThere(join('docs', link)))).toEqual([]);
  });

  it('shows every library in the picture of the floors', () => {
    const [, picture = ''] = /```mermaid\nflowchart([\s\S]*?)```/.exec(page) ?? [];
    const libraries = readdirSync(join(root, 'libs'));
    const shown = libraries.filter((name) => new RegExp(`\\b${name}\\b`).test(picture));
    expect(shown).toEqual(libraries);
  });
});
