import { pagePolicy } from '@app/http';
import { createHash } from 'node:crypto';
import { type Html, html, trusted } from './html';
import { directionOf, type Language } from './languages';
import { filled, textsIn } from './texts';

/** One letter that brings a person to the page of an offer. */
export interface Letter {
  readonly language: Language;
  readonly issuer: string;
  /** What the person gets, by its names. */
  readonly credential: string;
  readonly name: string | undefined;
  /** The address of the page. */
  readonly page: string;
  /** An SVG picture of that address. */
  readonly code: string;
  /** When the page ends, in words. */
  readonly until: string;
  /** Printed only where whoever makes the letter chose so. */
  readonly transactionCode: string | undefined;
  readonly hasTransactionCode: boolean;
  /** Whom people can ask. */
  readonly contact: string | undefined;
}

// A4, with the address in the window of an envelope (DIN 5008, form B) and marks at which it is folded. The code is 50 mm wide with its margin,
// more than 35 mm without.
const style = `@page { size: A4; margin: 0 }
* { box-sizing: border-box }
body { margin: 0; background: #fff; color: #000; font: 11pt/1.4 sans-serif }
.letter { position: relative; width: 210mm; min-height: 296mm; padding: 100mm 20mm 20mm 25mm; break-after: page; overflow: hidden; overflow-wrap: anywhere }
.letter:last-child { break-after: auto }
.from { position: absolute; left: 25mm; top: 57mm; width: 80mm; font-size: 7pt; border-bottom: .2mm solid #000 }
.to { position: absolute; left: 25mm; top: 62.7mm; width: 80mm; height: 27.3mm; overflow: hidden }
.fold { position: absolute; left: 0; width: 5mm; border-top: .2mm solid #000 }
.first { top: 105mm }
.second { top: 210mm }
h1 { font-size: 13pt; margin: 0 0 5mm }
p { margin: 0 0 3mm }
.scan { break-inside: avoid }
.scan svg { display: block; width: 50mm; height: 50mm }
.link, .code { font-family: monospace; font-size: 11pt }
.code { font-size: 14pt; letter-spacing: .1em }`;

const styleHash = createHash('sha256').update(style).digest('base64');
/** Of the style of letters, for the policy of a page that shows them. */
export const letterStyleSource = `'sha256-${styleHash}'`;
export const letterPolicy = pagePolicy(`style-src ${letterStyleSource}`);

/** Letters to be printed, each on a page of its own. */
export function lettersPage(letters: readonly [Letter, ...Letter[]]): string {
  const [{ language, credential }] = letters;
  const page = html`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${filled(textsIn(language).letter.title, { credential })}</title>
<style>${trusted(style)}</style>
</head>
<body>
${letters.map(oneLetter)}
</body>
</html>
`;
  return page.text;
}

function oneLetter(letter: Letter): Html {
  const { language, issuer, credential, name, page, code, until, transactionCode, hasTransactionCode, contact } =
    letter;
  const texts = textsIn(language).letter;
  const said = (text: string): string => filled(text, { issuer, credential, name: name ?? '', until });
  const codeGiven = html`<p>${texts.code}: <span class="code" dir="ltr">${transactionCode}</span><br>${texts.codeHint}</p>`;
  const codeApart = hasTransactionCode ? html`<p>${texts.codeApart}</p>` : undefined;
  return html`<main class="letter" lang="${language}" dir="${directionOf(language)}">
<div class="fold first"></div>
<div class="fold second"></div>
<p class="from"><bdi>${issuer}</bdi></p>
<p class="to"><bdi>${name}</bdi></p>
<h1>${said(texts.title)}</h1>
<p>${said(name === undefined ? texts.greeting : texts.greetingTo)}</p>
<p>${said(texts.intro)}</p>
<div class="scan" role="img" aria-label="${texts.codeImage}">
<p>${texts.scan}</p>
${trusted(code)}
</div>
<p>${texts.type}<br><span class="link" dir="ltr">${page}</span></p>
<p>${said(texts.until)}</p>
${transactionCode === undefined ? codeApart : codeGiven}
${contact === undefined ? undefined : html`<p>${said(texts.contact)}: <bdi dir="ltr">${contact}</bdi></p>`}
</main>`;
}
