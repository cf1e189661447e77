import type { Template } from '../api/resources';

export type Display = NonNullable<Template['display']>[number];

/** The name in a language, else the one for all of them, else the first. */
export function nameIn(display: readonly Display[], language: string): string | undefined {
  const own = display.find(({ locale }) => locale?.toLowerCase().split('-', 1)[0] === language);
  return (own ?? display.find(({ locale }) => locale === undefined) ?? display[0])?.name;
}

/** What a card looks like in every language; empty texts are left out. */
export interface CardLook {
  readonly logo: string;
  readonly logoText: string;
  readonly background: string;
  readonly ink: string;
  readonly image: string;
}

export interface CardWords {
  readonly name: string;
  readonly description: string;
}

export interface CardDraft extends CardLook {
  /** By language; `''`: for all others. */
  readonly words: Readonly<Record<string, CardWords>>;
}

export function cardOf(display: Template['display'] = []): CardDraft {
  const [first] = display;
  return {
    logo: first?.logo?.uri ?? '',
    logoText: first?.logo?.alt_text ?? '',
    background: first?.background_color ?? '',
    ink: first?.text_color ?? '',
    image: first?.background_image?.uri ?? '',
    words: Object.fromEntries(
      display.map(({ locale = '', name, description = '' }) => [locale, { name, description }]),
    ),
  };
}

/** `display` of a template; undefined where the card says nothing. @param title the name where no language has one */
export function displayOf(card: CardDraft, title: string): readonly Display[] | undefined {
  const look = {
    ...(card.logo !== '' && { logo: { uri: card.logo, ...(card.logoText !== '' && { alt_text: card.logoText }) } }),
    ...(card.background !== '' && { background_color: card.background }),
    ...(card.image !== '' && { background_image: { uri: card.image } }),
    ...(card.ink !== '' && { text_color: card.ink }),
  };
  const worded = Object.entries(card.words).filter(([, { name }]) => name.trim() !== '');
  if (worded.length === 0) return Object.keys(look).length === 0 ? undefined : [{ name: title, ...look }];
  return worded.map(([locale, { name, description }]) => ({
    name,
    ...(locale !== '' && { locale }),
    ...(description !== '' && { description }),
    ...look,
  }));
}

const isColour = (text: string): boolean => /^#[0-9a-fA-F]{6}$/.test(text);

/** WCAG 2.2, 1.4.3. */
export const leastContrast = 4.5;

/** 1 to 21; undefined where one is no colour such as `#12107c`. */
export function contrastOf(one: string, other: string): number | undefined {
  if (!isColour(one) || !isColour(other)) return undefined;
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** The darkest and the lightest colour of a picture. @param pixels red, green, blue and opacity of each */
export function extremesOf(pixels: ArrayLike<number>): readonly [darkest: string, lightest: string] {
  const found = { darkest: '#ffffff', lightest: '#000000' };
  const seen = new Set<string>();
  for (let at = 0; at + 3 < pixels.length; at += 4) {
    seen.add(`#${[0, 1, 2].map((place) => (pixels[at + place] ?? 0).toString(16).padStart(2, '0')).join('')}`);
  }
  for (const colour of seen) {
    if (luminance(colour) <= luminance(found.darkest)) found.darkest = colour;
    if (luminance(colour) >= luminance(found.lightest)) found.lightest = colour;
  }
  return [found.darkest, found.lightest];
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const share = Number.parseInt(colour.slice(start, start + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
