import { readFileSync } from 'node:fs';
import { languages } from '@app/pages/src/languages';
import { textsIn } from '@app/pages/src/texts';
import { sourceFiles } from '../support/repository/source-files';

type Leaves = ReadonlyMap<string, string>;

function leavesOf(node: object, path: readonly string[] = []): [string, string][] {
  return Object.entries(node).flatMap(([name, value]: [string, unknown]) => {
    const at = [...path, name];
    return typeof value === 'string' ? [[at.join('.'), value] as [string, string]] : leavesOf(value as object, at);
  });
}

const placeholders = (text = ''): string[] => (text.match(/\{\w+\}/g) ?? []).sort();

describe('the texts of pages', () => {
  const english: Leaves = new Map(leavesOf(textsIn('en')));

  it.each(languages)('are all there in %s, with the same values in them', (language) => {
    const texts: Leaves = new Map(leavesOf(textsIn(language)));
    // A name that stands twice would lose one of its texts.
    expect(readFileSync(`libs/pages/src/texts/${language}.json`, 'utf8')).toBe(
      `${JSON.stringify(textsIn(language), null, 2)}\n`,
    );
    expect([...texts.keys()]).toEqual([...english.keys()]);
    for (const [path, text] of texts) {
      expect([path, text.trim()]).toEqual([path, text]);
      expect(text).not.toBe('');
      expect([path, placeholders(text)]).toEqual([path, placeholders(english.get(path))]);
    }
    const same = [...texts].filter(([path, text]) => text === english.get(path));
    expect(language === 'en' ? [] : same).toEqual([]);
  });

  it('are all used', () => {
    const isSource = (path: string): boolean => /\.ts$/.test(path) && !/src\/texts\.ts$|\.spec\.ts$/.test(path);
    const folders = ['libs/pages', 'libs/authorization', 'libs/mail', 'libs/offers', 'libs/verification'];
    const sources = sourceFiles(folders, isSource).map(({ text }) => text);
    const isUsed = (name: string): boolean => sources.some((text) => new RegExp(`[.'{,] ?${name}\\b`).test(text));
    const names = new Set([...english.keys()].flatMap((path) => path.split('.')));
    expect([...names].filter((name) => !isUsed(name))).toEqual([]);
  });
});
