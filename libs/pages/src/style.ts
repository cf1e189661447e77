import { type Colour, ink, paper, readableOn, textOn } from './colours';

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
* { box-sizing: border-box; }
body {
  margin: 0 auto;
  max-width: 34rem;
  padding: 1.5rem min(1rem, 4vw) 2rem;
  background: var(--paper);
  color: var(--ink);
  font: 1.0625rem/1.5 system-ui, sans-serif;
  overflow-wrap: break-word;
  hyphens: auto;
}
header { display: flex; flex-wrap: wrap; align-items: center; gap: .75rem; padding-bottom: 1rem; border-bottom: 1px solid var(--line); }
header p { margin: 0; min-width: 0; font-weight: 600; overflow-wrap: anywhere; }
header img { max-width: min(10rem, 100%); max-height: 3rem; object-fit: contain; }
h1 { margin: 1.5rem 0 .5rem; font-size: 1.625rem; line-height: 1.25; }
h2 { margin: 1.5rem 0 .5rem; font-size: 1.125rem; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
main:focus { outline: none; }
.take { display: flex; flex-direction: column; }
@media (max-width: 34rem) {
  .take .here { order: -1; }
}
.code { text-align: center; }
.code img { width: 100%; max-width: 20rem; height: auto; background: #ffffff; border-radius: .5rem; }
.button {
  display: block;
  padding: .75rem 1.25rem;
  border: 2px solid var(--accent);
  border-radius: .5rem;
  background: var(--accent);
  color: var(--paper);
  font-weight: 600;
  text-align: center;
  text-decoration: none;
}
.button.plain { background: transparent; color: var(--accent); }
input:not([type=hidden]) { width: 100%; padding: .625rem .75rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--paper); color: var(--ink); font: inherit; }
dl { margin: .25rem 0 0; }
dt { color: var(--quiet); font-size: .875rem; }
dd { margin: 0 0 .375rem; unicode-bidi: plaintext; text-align: start; }
button.button { width: 100%; font: inherit; font-weight: 600; cursor: pointer; }
button.as-link { padding: .25rem 0; border: 0; background: none; color: var(--accent); font: inherit; text-decoration: underline; cursor: pointer; }
.button:disabled { opacity: .6; cursor: default; }
.browser { display: none; }
.asks-browser .browser { display: block; }
.cards, .choices, footer ul { margin: 0; padding: 0; list-style: none; }
.card { display: flex; gap: .75rem; align-items: center; margin: .5rem 0; padding: min(1rem, 4vw); border: 1px solid var(--line); border-radius: .5rem; }
.card img { width: 3rem; height: 3rem; object-fit: contain; }
.card p { margin: 0; }
.card .name { font-weight: 600; }
.card > div { min-width: 0; overflow-wrap: anywhere; }
.card ul { margin: .25rem 0 0; padding-inline-start: 1.25rem; list-style: disc; }
.alternatives > li + li { margin-top: .75rem; }
.quiet { color: var(--quiet); }
.type { color: var(--quiet); font-size: .875rem; overflow-wrap: anywhere; }
#link { font-family: ui-monospace, monospace; font-size: .875rem; }
.note { padding: .75rem 1rem; border-inline-start: 4px solid var(--accent); }
summary { padding: .5rem 0; cursor: pointer; }
.choices { display: flex; flex-wrap: wrap; gap: .5rem; }
.choices a { display: inline-block; padding: .375rem .75rem; border: 1px solid var(--line); border-radius: .375rem; }
.choices a[aria-current] { font-weight: 600; border: 2px solid var(--accent); }
footer { margin-top: 2.5rem; padding-top: .5rem; border-top: 1px solid var(--line); }
footer ul { display: flex; flex-wrap: wrap; gap: 0 1rem; }
footer p { margin: .5rem 0; }
footer a { display: inline-block; overflow-wrap: anywhere; padding: .25rem 0; color: var(--quiet); }
footer a[aria-current] { font-weight: 600; color: var(--ink); }
`;
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
