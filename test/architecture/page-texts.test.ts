import { languages } from '@app/pages/src/languages';
import { textsIn } from '@app/pages/src/texts-by-language';

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
    expect([...texts.keys()]).toEqual([...english.keys()]);
    for (const [path, text] of texts) {
      expect([path, text.trim()]).toEqual([path, text]);
      expect(text).not.toBe('');
      expect([path, placeholders(text)]).toEqual([path, placeholders(english.get(path))]);
    }
    const same = [...texts].filter(([path, text]) => text === english.get(path));
    expect(language === 'en' ? [] : same).toEqual([]);
  });
});
