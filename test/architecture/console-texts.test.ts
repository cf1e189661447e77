import { readdirSync, readFileSync } from 'node:fs';
import { languageNames, languages } from '@app/pages/src/languages';
import { languages as consoleLanguages } from '../../apps/console/src/texts';
import { sourceFiles } from '../support/repository/source-files';

type Phrase = string | Readonly<Record<string, string>>;

const folder = 'apps/console/src/texts';
const areas = readdirSync(`${folder}/en`).map((file) => file.replace(/\.json$/, ''));
const fileOf = (language: string, area: string): string => readFileSync(`${folder}/${language}/${area}.json`, 'utf8');
const textsOf = (language: string, area: string) => JSON.parse(fileOf(language, area)) as Record<string, Phrase>;
const formsOf = (phrase: Phrase): Readonly<Record<string, string>> =>
  typeof phrase === 'string' ? { other: phrase } : phrase;
const placeholders = (text = ''): string[] => (text.match(/\{\w+\}/g) ?? []).sort();

/** The plural forms that numbers up to a few hundred have. */
function pluralForms(language: string): string[] {
  const rules = new Intl.PluralRules(language);
  return [...new Set(Array.from({ length: 300 }, (_, count) => rules.select(count)))].sort();
}

describe('the texts of the console', () => {
  it('are in the languages of the pages for people', () => {
    expect(consoleLanguages).toEqual(languageNames);
    expect(readdirSync(folder).sort()).toEqual([...languages].sort());
  });

  it.each(languages)('are all there in %s, with the same values in them', (language) => {
    expect(readdirSync(`${folder}/${language}`)).toEqual(readdirSync(`${folder}/en`));
    for (const area of areas) {
      const texts = textsOf(language, area);
      const english = textsOf('en', area);
      // A name that stands twice would lose one of its texts.
      expect(fileOf(language, area)).toBe(`${JSON.stringify(texts, null, 2)}\n`);
      expect([area, ...Object.keys(texts)]).toEqual([area, ...Object.keys(english)]);
      for (const [name, phrase] of Object.entries(texts)) {
        const wanted = english[name] ?? '';
        const at = `${area}.${name}`;
        const forms = formsOf(phrase);
        const isPlural = typeof wanted === 'object';
        expect([at, Object.keys(forms).sort()]).toEqual([at, isPlural ? pluralForms(language) : ['other']]);
        for (const text of Object.values(forms)) {
          expect([at, text.trim(), text === '']).toEqual([at, text, false]);
          expect([at, placeholders(text)]).toEqual([
            at,
            // A form for one or two may have the number as a word.
            placeholders(formsOf(wanted)['other']).filter(
              (one) => !isPlural || one !== '{count}' || text.includes(one),
            ),
          ]);
        }
        expect([at, placeholders(forms['other'])]).toEqual([at, placeholders(formsOf(wanted)['other'])]);
        // Single words can be the same in two languages.
        const isSentence =
          (forms['other'] ?? '')
            .replaceAll(/\{\w+\}|[^\p{L} ]/gu, '')
            .trim()
            .split(/ +/).length > 2;
        const isEnglish = language !== 'en' && isSentence && forms['other'] === formsOf(wanted)['other'];
        expect(isEnglish ? at : '').toBe('');
      }
    }
  });

  it('are all used, and of areas that the page knows', () => {
    const files = sourceFiles(['apps/console/src'], (path) => /\.tsx?$/.test(path) && !path.endsWith('.spec.ts'));
    const source = files.map(({ text }) => text).join('\n');
    expect([...source.matchAll(/readonly (\w+): typeof \1;/g)].map(([, area]) => area)).toEqual(areas);
    const chosenByService = (area: string): boolean => source.includes(`textFor('${area}'`);
    const unused = areas.flatMap((area) =>
      Object.keys(textsOf('en', area))
        .map((name) => `${area}.${name}`)
        .filter((key) => !chosenByService(area) && !new RegExp(`['"\`]${key}['"\`]`).test(source)),
    );
    expect(unused).toEqual([]);
  });
});
