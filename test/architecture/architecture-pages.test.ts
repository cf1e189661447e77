import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceFiles } from '../support/repository/source-files';

const root = join(__dirname, '../..');
const folder = join(root, 'docs/architecture');
const pages = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));

const sections = ['Rules', 'Why', 'Tried and dropped', 'Where it is'];
const mostWords = { page: 1_900, all: 19_200 };

const wordsIn = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length;
const titlesIn = (text: string): string[] => [...text.matchAll(/^## (.+)$/gm)].flatMap(([, title]) => title ?? []);

/** The items of a list, each on one line. */
function rulesOf(text: string): string[] {
  const [, list = ''] = /^## Rules\n([^]*?)^## /m.exec(text) ?? [];
  return list
    .split(/^- /m)
    .slice(1)
    .map((rule) => rule.replaceAll(/\s+/g, ' ').trim());
}

/** What looks like a place in the repository, from its root. */
function placesIn(text: string): string[] {
  const named = [...text.matchAll(/`([^`\s]+)`/g)].flatMap(([, name]) => name ?? []);
  return named.filter((name) => /^(apps|libs|test|deploy|docs|config|examples)(\/|$)|^[\w.-]+\.cjs$/.test(name));
}

const sources = sourceFiles(['apps', 'examples', 'libs', 'test'], (path) => /\.tsx?$/.test(path)).map(
  ({ path }) => path,
);

/** Files that are named without their folder, and that no folder has. */
function lostIn(text: string): string[] {
  const named = [...text.matchAll(/`([\w-][\w.-]*\.tsx?)`/g)].flatMap(([, name]) => name ?? []);
  return named.filter((name) => !sources.some((path) => path.endsWith(`/${name}`)));
}

/** What is wrong with a page; empty for a good one. */
function faultsOf(text: string): string[] {
  const rules = rulesOf(text);
  const exists = (place: string): boolean => place.includes('*') || existsSync(join(root, place));
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].flatMap(([, link]) => link ?? []);
  return [
    ...(titlesIn(text)
      .filter((title) => sections.includes(title))
      .join() === sections.join()
      ? []
      : ['sections']),
    ...(rules.length >= 3 && rules.length <= 10 ? [] : [`${rules.length} rules`]),
    ...rules.filter((rule) => !placesIn(rule).some((place) => !place.includes('*'))).map((rule) => `no place: ${rule}`),
    ...placesIn(text).filter((place) => !exists(place)),
    ...lostIn(text),
    ...links.filter((link) => !existsSync(join(folder, link))),
    ...(wordsIn(text) <= mostWords.page ? [] : [`${wordsIn(text)} words`]),
  ];
}

describe('the pages of docs/architecture', () => {
  it.each(pages)(
    'have their sections, rules with a place that exists, and links that lead somewhere: $name',
    (page) => {
      expect(faultsOf(page.text)).toEqual([]);
    },
  );

  it('are short enough to be read, and all in the table of the overview', () => {
    const all = pages.reduce((words, { text }) => words + wordsIn(text), 0);
    expect(all).toBeLessThanOrEqual(mostWords.all);
    const overview = pages.find(({ name }) => name === 'overview.md')?.text ?? '';
    const missing = pages.filter(({ name }) => name !== 'overview.md' && !overview.includes(`](${name})`));
    expect(missing).toEqual([]);
    expect(pages.length).toBeGreaterThan(12);
  });

  it.each([
    ['a section that is missing', (text: string) => text.replace('## Tried and dropped', '## Left out'), 'sections'],
    [
      'a rule without a place',
      (text: string) => text.replace('## Why', '- **Nobody knows where.**\n\n## Why'),
      'no place',
    ],
    ['a place that is gone', (text: string) => `${text}\n\`libs/offers/src/gone.ts\``, 'libs/offers/src/gone.ts'],
    ['a file that no folder has', (text: string) => `${text}\n\`gone.ts\``, 'gone.ts'],
    ['a link that leads nowhere', (text: string) => `${text}\n[gone](gone.md#part)`, 'gone.md'],
    ['too many words', (text: string) => text + ' word'.repeat(mostWords.page), 'words'],
  ])('would be seen with %s', (_, broken, fault) => {
    const good = pages.find(({ name }) => name === 'erasure.md')?.text ?? '';
    expect(faultsOf(broken(good)).join()).toContain(fault);
  });

  it('are what everything else refers to', () => {
    const atRoot = readdirSync(root).filter((name) => /\.(md|cjs|mjs)$/.test(name));
    const files = [
      ...sourceFiles(['apps', 'config', 'deploy', 'docs', 'examples', 'libs', 'test'], (path) =>
        /\.(tsx?|md|ya?ml|sql|json|cjs|mjs|env)$/.test(path),
      ),
      ...atRoot.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })),
    ].filter(({ path }) => join(root, path) !== __filename);
    const numbered = /\bdecisions\/|\b(?:decision|record)s? \[?0\d{3}\b|docs\/architecture\.md/i;
    const referring = files.filter(({ text }) => numbered.test(text)).map(({ path }) => path);
    expect(files.length).toBeGreaterThan(1_000);
    expect(referring).toEqual(['docs/architecture/overview.md']);
  });
});
