import { urlOf } from './url-of';

describe('the URL that a text is', () => {
  it.each(['https://id.münchen.example', 'https://例え.example/ü'])(
    'is found however often it is asked: %s',
    (text) => {
      const missed = Array.from({ length: 20_000 }, () => urlOf(text)).filter((url) => url === undefined);
      expect(missed).toEqual([]);
    },
  );

  it('is none of a text without a scheme, but with a base', () => {
    expect(urlOf('münchen.example')).toBeUndefined();
    expect(urlOf('/a', 'https://münchen.example')?.href).toBe('https://xn--mnchen-3ya.example/a');
  });
});
