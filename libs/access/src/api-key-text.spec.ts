import { apiKeyIdOf, newApiKey } from './api-key-text';

const pattern = /^swk_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/;

describe('the text of an API key', () => {
  it('is recognisable, names its id and is never the same', () => {
    const keys = Array.from({ length: 200 }, newApiKey);
    for (const { id, text } of keys) {
      expect(text).toMatch(pattern);
      expect(text.startsWith(`swk_${id}_`)).toBe(true);
      expect(apiKeyIdOf(text)).toBe(id);
    }
    expect(new Set(keys.map(({ text }) => text)).size).toBe(200);
    expect(new Set(keys.map(({ id }) => id)).size).toBe(200);
  });

  it('shows by its checksum that it was mistyped', () => {
    const { text } = newApiKey();
    for (const position of [4, 12, 30, 55, 58, 63]) {
      const changed = text[position] === 'a' ? 'b' : 'a';
      expect(apiKeyIdOf(text.slice(0, position) + changed + text.slice(position + 1))).toBeUndefined();
    }
  });

  it.each([
    ['nothing', () => ''],
    ['a prefix', () => 'swk_abcdefgh'],
    ['a key with a space', () => `${newApiKey().text} `],
    ['a key with a letter before it', () => `x${newApiKey().text}`],
    ['a key without its end', () => newApiKey().text.slice(0, -1)],
  ])('is not %s', (_what, text) => {
    expect(apiKeyIdOf(text())).toBeUndefined();
  });
});
