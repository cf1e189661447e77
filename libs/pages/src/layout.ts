import { Html, html } from './html';
import { directionOf, type Language, languageNames, languages } from './languages';
import { filled, type StateText, type Texts } from './texts';
import type { Help } from './visit';

/** What is shown to a person: a state, and what belongs to it. */
export interface ShownPage {
  /** The name of the state, as the live events have it. */
  readonly state: string;
  readonly text: StateText;
  readonly content: Html;
  /** The state can change while the page is open. */
  readonly isLive: boolean;
  /** 200 when absent. */
  readonly status?: number;
  /** The content has a form whose answer leads back to a wallet; such a page has only the scripts of `asksBrowser` and `leaves`. */
  readonly hasForm?: boolean;
  /** The content has a {@link browserButton}. */
  readonly asksBrowser?: boolean;
  /**
   * The page is replaced by the one at this address after so many seconds. Not by the header `Refresh` or a plain `meta`:
   * the browser of the OpenID Foundation's conformance suite (HtmlUnit) does nothing else until that time has passed.
   */
  readonly leaves?: { readonly afterSeconds: number; readonly to: string };
  /** In addition to those of every page. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Names of classes of {@link cardClass} that the content uses. */
  readonly cards?: readonly string[];
}

export interface Frame {
  readonly language: Language;
  readonly texts: Texts;
  readonly help: Help;
  /** Addresses on the page's own origin. */
  readonly files: {
    readonly style: string;
    readonly script: string;
    readonly browserScript: string;
    readonly leaveScript: string;
    readonly logo: string | undefined;
  };
  /** Where the files of cards are, with a slash at the end. */
  readonly colours: string;
  /** The address of the page itself, without its query. */
  readonly address: string;
  /** Of the address; the links to other languages keep it. */
  readonly query: URLSearchParams;
  /** The page answers a form: it has no links to other languages. */
  readonly isAnswer: boolean;
}

export function renderPage(shown: ShownPage, frame: Frame): string {
  const { state, text, content, isLive, hasForm = false, asksBrowser = false, leaves, cards = [] } = shown;
  const { language, texts, help, files, colours, address } = frame;
  const { issuer } = help;
  const live = isLive ? html` data-live="${address}/events"` : undefined;
  const left = leaves && html` data-leave-after="${leaves.afterSeconds}" data-leave-to="${leaves.to}"`;
  const page = html`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${text.title} · ${issuer}</title>
<link rel="icon" href="${files.logo ?? 'data:,'}">
<link rel="stylesheet" href="${files.style}">
${[...new Set(cards)].map((card) => html`<link rel="stylesheet" href="${colours}${card}.css">`)}
${hasForm ? undefined : html`<script type="module" src="${files.script}"></script>`}
${asksBrowser ? html`<script type="module" src="${files.browserScript}"></script>` : undefined}
${leaves ? leaving(leaves, files.leaveScript) : undefined}
</head>
<body>
<header>
${files.logo === undefined ? undefined : html`<img src="${files.logo}" alt="">`}
<p><bdi>${issuer}</bdi></p>
</header>
<main data-state="${state}"${live}${left} tabindex="-1">
<div id="state" role="status">
<h1>${text.title}</h1>
<p>${text.advice}</p>
</div>
<div id="content">
${content}
${isLive ? html`<noscript><p><a href="${hrefOf(frame, language)}">${texts.page.checkAgain}</a></p></noscript>` : undefined}
</div>
</main>
<footer>
${contactLine(frame)}
${frame.isAnswer ? undefined : languageLinks(frame)}
</footer>
</body>
</html>
`;
  return page.text;
}

function leaving({ afterSeconds, to }: NonNullable<ShownPage['leaves']>, script: string): Html {
  return html`<script type="module" src="${script}"></script>
<noscript><meta http-equiv="refresh" content="${afterSeconds}; url=${to}"></noscript>`;
}

function languageLinks(frame: Frame): Html {
  return html`<nav aria-label="${frame.texts.page.languages}">
<ul>
${languages.map((other) => languageLink(frame, other))}
</ul>
</nav>`;
}

function contactLine({ texts: { page }, help: { issuer, contact } }: Frame): Html | undefined {
  if (!contact) return undefined;
  const shown = contact.shown === undefined ? undefined : html`: <bdi dir="ltr">${contact.shown}</bdi>`;
  return html`<p><a href="${contact.link}">${filled(page.contact, { issuer })}${shown}</a></p>`;
}

function languageLink(frame: Frame, other: Language): Html {
  const current = other === frame.language ? html` aria-current="true"` : undefined;
  return html`<li><a href="${hrefOf(frame, other)}" lang="${other}" dir="${directionOf(other)}" hreflang="${other}"${current}>${languageNames[other]}</a></li>`;
}

function hrefOf({ address, query }: Frame, language: Language): string {
  const kept = new URLSearchParams(query);
  kept.set('language', language);
  return `${address}?${kept.toString()}`;
}
