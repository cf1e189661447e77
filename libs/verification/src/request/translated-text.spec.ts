import { faultsOfText, plainText, textFor, translationsOf } from './translated-text';

const reasons = { de: 'Für den Rabatt.', 'en-GB': 'For the discount.', 'ar-EG': 'من أجل الخصم' };

describe('a text for people', () => {
  it.each([
    ['de', reasons.de],
    ['ar', reasons['ar-EG']],
    ['en', reasons['en-GB']],
    ['fr', reasons['en-GB']],
  ] as const)('in several languages is read in %s as %j', (language, read) => {
    expect(textFor(language, plainText(reasons), translationsOf(reasons)).name).toBe(read);
  });

  it('in one language is the same for everybody, and one of several is read where there is no other', () => {
    expect(textFor('de', plainText('Why'), translationsOf('Why'))).toEqual({ name: 'Why' });
    expect(plainText({ nl: 'Voor de korting.', de: reasons.de })).toBe('Voor de korting.');
  });

  it.each([
    ['Why', []],
    [reasons, []],
    ['', ['']],
    ['x'.repeat(21), ['']],
    ['Wh\u202ey', ['']],
    ['למה?\u200f', []],
    [{ en: 'Why', de: '\u200b' }, ['/de']],
    [7, ['']],
    [null, ['']],
    [['Why'], ['']],
    [{}, ['']],
    [{ english: 'Why' }, ['/english']],
    [{ 'a/b': 'Why' }, ['/a~1b']],
    [{ en: 'Why', EN: 'Why' }, ['/EN']],
    [{ en: '', de: 7, fr: 'x'.repeat(21) }, ['/en', '/de', '/fr']],
    [Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`en-${100 + index}`, 'Why'])), ['']],
  ])('of at most 20 characters can be %j; faults are at %j', (given, pointers) => {
    expect(faultsOfText(given, 20).map(({ pointer }) => pointer)).toEqual(pointers);
  });
});
