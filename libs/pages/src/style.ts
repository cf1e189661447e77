import { type Colour, ink, paper, readableOn, textOn } from './colours';
import { pageFile } from './page-file';

const sheet = pageFile('style.css');

/** The style sheet of all pages. @param accent the colour of the issuer, for buttons and links */
export function styleSheet(accent: Colour): string {
  return `:root {
  color-scheme: light dark;
  --paper: ${paper.light};
  --ink: ${ink.light};
  --quiet: #595959;
  --line: #767676;
  --accent: ${readableOn(paper.light, accent)};
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: ${paper.dark};
    --ink: ${ink.dark};
    --quiet: #b8b8b8;
    --line: #8c8c8c;
    --accent: ${readableOn(paper.dark, accent)};
  }
}
${sheet}`;
}

/** The colour of the issuer for the buttons and links of another style sheet, after it. @param grounds that they stand on */
export function accentStyle(colour: Colour, grounds: Readonly<Record<'light' | 'dark', Colour>>): string {
  const root = (ground: Colour): string => {
    const accent = readableOn(ground, colour);
    return `:root { --accent: ${accent}; --on-accent: ${textOn(accent, undefined)}; }`;
  };
  return `\n${root(grounds.light)}\n@media (prefers-color-scheme: dark) { ${root(grounds.dark)} }\n`;
}

/** The colours that a template gives its credential, as the name of a class. */
export interface CardColours {
  readonly background: Colour;
  readonly text: Colour | undefined;
}

const classPattern = /^card-([0-9a-f]{6})(?:-([0-9a-f]{6}))?$/;

export function cardClass({ background, text }: CardColours): string {
  return ['card', background.slice(1), ...(text === undefined ? [] : [text.slice(1)])].join('-').toLowerCase();
}

/** The style sheet of one such class; `undefined` for any other name. A text that could not be read gets another colour. */
export function cardStyle(name: string): string | undefined {
  const [, background, text] = classPattern.exec(name) ?? [];
  if (background === undefined) return undefined;
  const colour = textOn(`#${background}`, text === undefined ? undefined : `#${text}`);
  return `.${name} { background: #${background}; color: ${colour}; }\n`;
}
