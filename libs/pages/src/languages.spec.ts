import { inLanguage, preferredLanguage } from './languages';

describe('the language of a page', () => {
  it.each([
    ['de', 'de'],
    ['de-CH, en;q=0.5', 'de'],
    ['pt, es;q=0.8, en;q=0.2', 'es'],
    ['en;q=0.1, nl', 'nl'],
    ['ja', 'en'],
    ['*', 'en'],
    ['', 'en'],
    [';;;=,', 'en'],
    [undefined, 'en'],
  ])('for %j is %s', (accepted, language) => {
    expect(preferredLanguage(accepted, null)).toBe(language);
  });

  it('is the one that was chosen on it, if there is such a one', () => {
    expect(preferredLanguage('de', 'fr')).toBe('fr');
    expect(preferredLanguage('de', '__proto__')).toBe('de');
  });
});

describe('what a template shows', () => {
  const german = { name: 'Mitgliedschaft', locale: 'de-CH' };
  const english = { name: 'Membership', locale: 'en' };
  const other = { name: 'Members' };

  it('is in the language of the page, else in none, else in English, else the first', () => {
    expect(inLanguage([other, english, german], 'de')).toBe(german);
    expect(inLanguage([german, english, other], 'fr')).toBe(other);
    expect(inLanguage([german, english], 'fr')).toBe(english);
    expect(inLanguage([german], 'fr')).toBe(german);
    expect(inLanguage(undefined, 'fr')).toBeUndefined();
  });
});
