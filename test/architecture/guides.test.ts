import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { anchors } from '../deployment/markdown';

const root = join(__dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
/** Without pictures, which show something in place of words, and without figures, which `npm run bench` writes. */
const words = (path: string): number =>
  read(path)
    .replaceAll(/!\[[^\]]*\]\([^)]*\)|<!-- figures: .*?<!-- end -->/gs, '')
    .split(/\s+/)
    .filter(Boolean).length;

const generated = ['docs/configuration.md', 'docs/errors.md'];
const guides = readdirSync(join(root, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`)
  .filter((path) => !generated.includes(path));
const architecture = readdirSync(join(root, 'docs/architecture')).map((name) => `docs/architecture/${name}`);
const pages = [
  ...guides,
  ...architecture,
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'deploy/helm/README.md',
];

describe('what people read', () => {
  it('is a README of at most 900 words', () => {
    expect(words('README.md')).toBeLessThanOrEqual(900);
  });

  // A page that grows says something twice, or what another page should say: shorten before you raise the number.
  it('is at most 35,150 words of guides', () => {
    expect(guides.reduce((sum, path) => sum + words(path), 0)).toBeLessThanOrEqual(35_150);
  });

  it.each(pages)('links to files and chapters that exist: %s', (page) => {
    for (const [, link = '', anchor] of read(page).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)/g)) {
      const path = link === '' ? page : join(dirname(page), link);
      expect([link, existsSync(join(root, path))]).toEqual([link, true]);
      if (anchor !== undefined) expect([link, anchors(read(path))]).toEqual([link, expect.arrayContaining([anchor])]);
    }
  });

  it.each(guides)('names files that exist: %s', (page) => {
    const named = [...read(page).matchAll(/`((?:test|libs|apps|config|deploy)\/[\w./-]+)`/g)].map(
      ([, path = '']) => path,
    );
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it.each(pages)('names settings that exist: %s', (page) => {
    const settings = read('docs/configuration.md');
    const named = read(page).match(/\bSERVICE__[A-Z_]*[A-Z]\b/g) ?? [];
    // Each secret can also be a file.
    const isThere = (name: string): boolean =>
      settings.includes(`\`${name.replace(/(SERVICE__SIGNER__)(?!FOR_|VERIFY)[A-Z0-9]+/, '$1{NAME}')}`);
    expect(named.filter((name) => !isThere(name) && !isThere(name.replace(/_FILE$/, '')))).toEqual([]);
  });
});
