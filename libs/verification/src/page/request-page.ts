import {
  type AskedChoice,
  type AskedCredential,
  type DcqlCredentialQuery,
  outlineOf,
  decodeTransactionData,
} from '@app/openid4vc';
import {
  browserButton,
  type BrowserRequest,
  filled,
  type Html,
  html,
  type LinkForm,
  type RequestPageState,
  type ShownPage,
  type Visit,
  walletLink,
} from '@app/pages';
import { claimText, type KnownCredential, nameOf, typeName } from './asked-credential-text';
import { isAnswerable, isLive } from './request-page-state';
import type { RequestTerms } from '../request/request-terms';
import { textFor } from '../request/translated-text';

interface RequestOnPage {
  readonly request: RequestTerms;
  readonly state: RequestPageState;
  readonly forms: readonly [LinkForm, ...LinkForm[]];
  /** Absent when pages may not ask the wallet of their browser, and when nobody can answer any more. */
  readonly browser?: BrowserRequest | undefined;
  /** What this service issues of what is asked for. */
  readonly known: (query: DcqlCredentialQuery) => KnownCredential | undefined;
}

/** The page of a request in one of its states. What was presented, and the response code, are never on it. */
export function shownRequest(visit: Visit, shown: RequestOnPage): ShownPage {
  const { request, state, browser } = shown;
  const back = request.redirectUri === undefined ? undefined : new URL(request.redirectUri);
  return {
    state,
    text: visit.texts.request.states[state],
    content: isAnswerable(state) ? question(visit, shown, back) : wayBack(visit, shown, back),
    isLive: isLive(state),
    asksBrowser: browser !== undefined,
  };
}

function question(visit: Visit, { request, forms, known, browser }: RequestOnPage, back: URL | undefined): Html {
  const { texts } = visit;
  const { purpose, purposeIn, query, responseType } = request;
  const choices = query ? outlineOf(query).map((choice) => choiceCard(visit, choice, known)) : [];
  const identity = html`<li class="card">
    <div>
      <p class="name">${texts.request.identity}</p>
      <p>${texts.request.identityMeaning}</p>
    </div>
  </li>`;
  const reason =
    purpose === undefined
      ? undefined
      : html`<h2>${texts.request.reason}</h2>
          ${paragraph(textFor(visit.language, purpose, purposeIn))}`;
  const contents = html`<h2>${texts.request.contents}</h2>
    <ul class="cards">
      ${[...choices, ...(responseType.includes('id_token') ? [identity] : [])]}
    </ul>`;
  const isHere = request.returnToPage === true || request.isAskedInPage === true;
  const where = isHere ? texts.request.afterwardsHere : back && filled(texts.request.afterwards, { host: back.host });
  const afterwards = where === undefined ? undefined : html`<p class="note">${where}</p>`;
  const link = walletLink(visit, forms, isHere ? 'here' : 'anywhere');
  return html`${reason} ${transactionCards(visit, request)} ${contents}
    ${browser && browserButton(visit, browser)} ${link} ${afterwards}`;
}

/**
 * To where the person came from. Without the query of the address: it may name a basket or a session, and everyone who has seen
 * the QR code can open this page.
 */
function wayBack({ texts }: Visit, { request, state }: RequestOnPage, back: URL | undefined): Html {
  // First the wallet takes the person back here.
  if (!back || (state === 'withheld' && (request.returnToPage || request.isAskedInPage))) return html``;
  return html`<p>
    <a class="button" href="${back.origin}${back.pathname}">${filled(texts.request.goBack, { host: back.host })}</a>
  </p>`;
}

function choiceCard(visit: Visit, { isRequired, alternatives }: AskedChoice, known: RequestOnPage['known']): Html {
  const { request } = visit.texts;
  const described = alternatives.map((together) => together.map((asked) => credentialText(visit, asked, known)));
  const optional = isRequired ? undefined : html`<p class="quiet">${request.optional}</p>`;
  const [only, ...others] = described;
  const content =
    others.length === 0
      ? html`${only}`
      : html`<p>${request.oneOf}</p>
          <ul class="alternatives">
            ${described.map((together) => html`<li>${together}</li>`)}
          </ul>`;
  return html`<li class="card"><div>${optional} ${content}</div></li>`;
}

function credentialText(visit: Visit, asked: AskedCredential, knownOf: RequestOnPage['known']): Html {
  const { request } = visit.texts;
  // A query for any type at all is not one for what this service issues.
  const known = asked.types.length > 0 ? knownOf(asked.query) : undefined;
  const [claims = [], ...others] = asked.claims.map((list) =>
    list.map((path) => claimText(path, known, visit, asked.stepsAboveClaims)),
  );
  const sets = html`<p>${request.oneOf}</p>
    <ul class="claims">
      ${[claims, ...others].map((list) => html`<li><bdi>${list.join(', ')}</bdi></li>`)}
    </ul>`;
  const list = html`<ul class="claims">
    ${claims.map((claim) => html`<li><bdi>${claim}</bdi></li>`)}
  </ul>`;
  const claimsText = claims.length === 0 ? html`<p>${request.noClaims}</p>` : others.length === 0 ? list : sets;
  return html`<p class="name"><bdi>${nameOf(asked, known, visit)}</bdi></p>
    ${asked.isSentWhole && claims.length === 0 ? undefined : claimsText}
    ${asked.isSentWhole ? html`<p class="quiet">${request.sentWhole}</p>` : undefined}
    ${known || asked.types.length === 0 ? undefined : technicalName(visit.texts, asked.types)}`;
}

/** What the person confirms by presenting: each entry by its type, and in the words of the portal where it gave some. */
function transactionCards({ texts, language }: Visit, { transactionData }: RequestTerms): Html | undefined {
  if (!transactionData) return undefined;
  const cards = transactionData.map(({ encoded, shownAs, shownIn }) => {
    const { type } = decodeTransactionData(encoded);
    return html`<li class="card">
      <div>
        <p class="name"><bdi>${typeName(type)}</bdi></p>
        ${shownAs === undefined ? undefined : paragraph(textFor(language, shownAs, shownIn))}
        ${technicalName(texts, [type])}
      </div>
    </li>`;
  });
  return html`<h2>${texts.request.confirmation}</h2>
    <ul class="cards">
      ${cards}
    </ul>`;
}

/** A paragraph in the words of the portal. */
function paragraph({ name, locale }: { readonly name: string; readonly locale?: string }): Html {
  return html`<p dir="auto" ${locale === undefined ? undefined : html`lang="${locale}"`}>${name}</p>`;
}

/** What a credential or transaction is called between machines, for those who want to compare it. */
function technicalName({ request }: Visit['texts'], types: readonly string[]): Html {
  return html`<details class="type">
    <summary>${request.technicalName}</summary>
    <bdi>${types.join(' ')}</bdi>
  </details>`;
}
