import { widened } from './widened-pattern';

describe('counted repetitions', () => {
  it.each([
    ['a{1,255}', 'a+'],
    ['a{0,10}?', 'a*?'],
    ['(a|aa){30}', '(a|aa)+'],
    ['[a{20}]{12}', '[a{20}]+'],
    ['a{2}b{3,9}c{4,}', 'a{2}b{3,9}c{4,}'],
    ['\\p{Lu}\\u{10000}\\{20\\}', '\\p{Lu}\\u{10000}\\{20\\}'],
  ])('%s are looked at as %s', (pattern, seen) => {
    expect(widened(pattern)).toBe(seen);
  });

  it.each([
    ['nested', '((a{0,9}){0,9}){0,9}', '((a{0,9})*){0,9}'],
    ['nested, around a choice', '((a|aa){9}?){9}', '((a|aa){9}?)+'],
    ['nested in a look ahead', '(?=(a{1,9}b?){1,9}$)', '(?=(a{1,9}b?)+$)'],
    ['without a count, next to each other', 'a?'.repeat(20), 'a*'.repeat(20)],
    ['next to each other', '(a?){9}([bc]{1,4}){5}d{2}', '(a*){9}([bc]+){5}d{2}'],
  ])('that lead to many ways of matching are looked at without an end: %s', (_what, pattern, seen) => {
    expect(widened(pattern)).toBe(seen);
  });

  it.each(['(\\d{1,3}\\.){3}\\d{1,3}', '((\\d{2}){4}){4}', '([a-z]{2,8}-){0,4}[a-z]{2,8}', '(a{0,9})*'])(
    'that lead to few are looked at as they are: %s',
    (pattern) => {
      expect(widened(pattern)).toBe(pattern);
    },
  );
});
