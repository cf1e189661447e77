/** `#rrggbb` */
export type Colour = string;

/** WCAG 2.2 §1.4.3: text, other than large one. */
const leastContrast = 4.5;

export const paper = { light: '#ffffff', dark: '#141414' } as const;
export const ink = { light: '#1a1a1a', dark: '#f2f2f2' } as const;

/** The contrast ratio of two colours, 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrast(one: Colour, other: Colour): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

/** The colour, darkened or lightened until it can be read on the background, and the background on it. */
export function readableOn(background: Colour, colour: Colour): Colour {
  const goal = luminance(background) > 0.18 ? 0 : 255;
  const channels = channelsOf(colour);
  for (let step = 0; step < 100; step++) {
    const shifted = hex(channels.map((channel) => Math.round(channel + ((goal - channel) * step) / 100)));
    if (contrast(shifted, background) >= leastContrast) return shifted;
  }
  return hex([goal, goal, goal]);
}

/** The text colour that was given, where it can be read on the background; else black or white. */
export function textOn(background: Colour, given: Colour | undefined): Colour {
  if (given !== undefined && contrast(given, background) >= leastContrast) return given;
  return contrast('#ffffff', background) >= contrast('#000000', background) ? '#ffffff' : '#000000';
}

/** Relative luminance (WCAG 2.2), 0 to 1. */
function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(colour).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channelsOf(colour: Colour): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16));
}

function hex(channels: readonly number[]): Colour {
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}
