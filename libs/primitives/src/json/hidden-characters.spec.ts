import { hiddenCharacter, withoutHidden } from './hidden-characters';

describe('a text for people', () => {
  it.each([
    ['\u202e', 'U+202E'],
    ['\u202a', 'U+202A'],
    ['\u2066', 'U+2066'],
    ['\u2069', 'U+2069'],
    ['\u200b', 'U+200B'],
    ['\u2060', 'U+2060'],
    ['\ufeff', 'U+FEFF'],
    ['\u{e0061}', 'U+E0061'],
  ])('shows that %j was in it', (character, name) => {
    const text = `Bank${character}lagel`;
    expect([hiddenCharacter(text), withoutHidden(text)]).toEqual([name, 'Bank\ufffdlagel']);
  });

  it.each([
    'Zürich\n',
    'می\u200cخواهم',
    '👩\u200d👩\u200d👧',
    '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
    'שלום (Hello)\u200f',
    'محمد\u061c 12',
    '\u0600 ١٢',
    'Donau\u00addampf',
  ])('of a script that needs it, %j, stays as it is', (text) => {
    expect([hiddenCharacter(text), withoutHidden(text)]).toEqual([undefined, text]);
  });

  it('is shown as it is when there is nothing, and wholly when there is more than one', () => {
    expect(withoutHidden('')).toBe('');
    expect(withoutHidden('\u202ea\u2066\u2066b')).toBe('\ufffda\ufffd\ufffdb');
  });
});
