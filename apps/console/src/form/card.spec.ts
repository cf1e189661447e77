import { cardOf, contrastOf, displayOf, extremesOf, nameIn } from './card';

const look = {
  logo: { uri: 'https://a.example/l.png', alt_text: 'A' },
  background_color: '#12107c',
  text_color: '#ffffff',
};

it('the display of a template is the same after it was shown as a card', () => {
  const display = [
    { name: 'Membership', locale: 'en', description: 'Of the library', ...look },
    { name: 'Mitgliedschaft', locale: 'de', ...look },
  ];
  expect(displayOf(cardOf(display), 'T')).toEqual(display);
});

it('a card without words of its own has the title, and none that looks like nothing', () => {
  expect(displayOf(cardOf(), 'T')).toBeUndefined();
  expect(displayOf({ ...cardOf(), background: '#000000' }, 'T')).toEqual([{ name: 'T', background_color: '#000000' }]);
});

it('a contrast is that of WCAG', () => {
  expect(contrastOf('#ffffff', '#000000')).toBeCloseTo(21);
  expect(contrastOf('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  expect(contrastOf('#fff', '#000000')).toBeUndefined();
});

it('a kind has the name of the language, else the one for all languages, else the first', () => {
  const display = [
    { name: 'Diploma', locale: 'en-GB' },
    { name: 'Diplom', locale: 'de' },
  ];
  expect(nameIn(display, 'de')).toBe('Diplom');
  expect(nameIn(display, 'en')).toBe('Diploma');
  expect(nameIn(display, 'fr')).toBe('Diploma');
  expect(nameIn([...display, { name: 'Degree' }], 'fr')).toBe('Degree');
  expect(nameIn([], 'de')).toBeUndefined();
});

it('the extremes of a picture are its darkest and its lightest colour', () => {
  const pixels = [...[0x80, 0x80, 0x80, 255], ...[0xff, 0xee, 0, 255], ...[0, 0, 0x40, 255]];
  expect(extremesOf(pixels)).toEqual(['#000040', '#ffee00']);
});
