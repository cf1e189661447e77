import { urlOf } from '@app/primitives/url';
import { isJsonObject, type JsonObject } from '@app/primitives/json';
import type { CredentialDisplay } from '@app/openid4vc';
import type { OfferForAuthorization } from '@app/offers';
import { filled, type Html, html, inLanguage, type ShownPage, type Visit } from '@app/pages';
import type { Identification } from '@app/templates';
import type { OpenAuthorization } from '../authorization-requests';
import type { Mismatch } from '../identification/identification-failure';

type TransactionCode = NonNullable<OfferForAuthorization['transactionCode']>;

/** A form of the page: where it goes, and what it must bring back. */
export interface PageForm {
  readonly action: string;
  readonly hidden: Readonly<Record<string, string>>;
}

/** A credential that the person is asked about. */
export interface ShownCredential {
  readonly configurationId: string;
  readonly display: readonly CredentialDisplay[] | undefined;
  /** Absent when they come from elsewhere. */
  readonly claims?: JsonObject;
}

/** The transaction code that the person has to know. */
export interface AskedCode extends TransactionCode {
  /** Why the page is shown again: the code is missing, or wrong, with so many tries left. */
  readonly fault: number | 'missing' | undefined;
}

/** What a person is asked to agree to. */
export interface AskedConsent {
  readonly authorization: OpenAuthorization;
  readonly asked: readonly ShownCredential[];
  readonly code: AskedCode | undefined;
  /** How it was found out who the person is. */
  readonly source: Identification;
}

export function loginPage({ texts }: Visit, form: PageForm): ShownPage {
  const { authorize } = texts;
  const content = formOf(
    form,
    html`<p><label for="username">${authorize.username}</label>
<input id="username" name="username" autocomplete="username" required maxlength="200" autofocus></p>
<p><label for="password">${authorize.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password"></p>
<p><button class="button" id="login" name="login" value="login">${authorize.login}</button></p>`,
  );
  return { state: 'login', text: authorize.states.login, content, isLive: false, hasForm: true };
}

/** What a person is asked to present before. */
export interface AskedToPresent {
  readonly authorization: OpenAuthorization;
  /** What they get afterwards. */
  readonly asked: readonly ShownCredential[];
  /** What they are asked for, in one of its states, with the links for wallets. */
  readonly request: ShownPage;
}

export function presentationPage(
  visit: Visit,
  form: PageForm,
  { authorization, asked, request }: AskedToPresent,
): ShownPage {
  const { authorize } = visit.texts;
  const text = request.state === 'pending' ? authorize.states.presentation : request.text;
  const content = html`${askerText(visit, authorization)}
<h2>${authorize.contents}</h2>
<ul class="cards">
${asked.map((credential) => html`<li class="card"><div>${credentialName(visit, credential)}</div></li>`)}
</ul>
${request.content}
${backForm(visit.texts, form, 'button plain')}`;
  return { ...request, text, content, isLive: false, hasForm: true };
}

export function consentPage(
  visit: Visit,
  form: PageForm,
  { authorization, asked, code, source }: AskedConsent,
): ShownPage {
  const { authorize } = visit.texts;
  const content = html`${askerText(visit, authorization)}
<h2>${authorize.contents}</h2>
<ul class="cards">
${asked.map((credential) => credentialCard(visit, credential))}
</ul>
${formOf(
  form,
  html`${code && codeField(visit, code)}
<p><button class="button" id="approve" name="approve" value="approve">${authorize.approve}</button></p>
<p><button class="button plain" id="reject" name="reject" value="reject" formnovalidate>${authorize.reject}</button></p>
${source === 'portal' ? undefined : html`<p>${authorize.notYou} ${anewButton(visit, source, 'as-link')}</p>`}`,
)}`;
  return { state: 'consent', text: authorize.states.consent, content, isLive: false, hasForm: true };
}

function anewButton({ texts: { authorize } }: Visit, source: Identification, look: 'button' | 'as-link'): Html {
  const text = source === 'presentation' ? authorize.otherCredential : authorize.otherLogin;
  return html`<button class="${look}" id="anew" name="anew" value="anew" formnovalidate>${text}</button>`;
}

/** Who was identified may not have what was asked for; nothing about them is on the page. */
export function mismatchPage(
  visit: Visit,
  form: PageForm,
  { mismatch, method }: { readonly mismatch: Mismatch; readonly method: Identification },
): ShownPage {
  const { authorize } = visit.texts;
  const content = formOf(
    form,
    html`<p>${anewButton(visit, method, 'button')}</p>
<p><button class="button plain" id="reject" name="reject" value="reject">${authorize.goBack}</button></p>`,
  );
  return { state: mismatch, text: authorize.states[mismatch], content, isLive: false, hasForm: true };
}

function codeField({ texts }: Visit, { inputMode, length, description, fault }: AskedCode): Html {
  const { authorize } = texts;
  const isWrong = fault !== undefined;
  const said =
    typeof fault === 'number'
      ? filled(authorize.transactionCodeWrong, { tries: fault })
      : authorize.transactionCodeMissing;
  const wrong = html`<p id="tx_code_error" role="alert"><strong>${said}</strong></p>`;
  return html`${isWrong ? wrong : undefined}
<p><label for="tx_code">${authorize.transactionCode}</label>
<input id="tx_code" name="tx_code" inputmode="${inputMode}" autocomplete="one-time-code" maxlength="${length}" required \
aria-describedby="tx_code_hint${isWrong ? ' tx_code_error' : ''}"${isWrong ? html` aria-invalid="true"` : undefined}></p>
<p class="note" id="tx_code_hint">${description ?? filled(authorize.transactionCodeHint, { length })}</p>`;
}

/** Why a page can go no further; `locked`: by a wrong transaction code too many. */
export type Obstacle = 'offer-needed' | 'apart' | 'not-issued' | 'locked';

/** Nothing can be done here but to go back. */
export function obstaclePage({ texts }: Visit, form: PageForm, state: Obstacle): ShownPage {
  const content = backForm(texts, form, 'button');
  const text = state === 'locked' ? texts.offer.states.locked : texts.authorize.states[state];
  return { state, text, content, isLive: false, hasForm: true };
}

function backForm({ authorize }: Visit['texts'], form: PageForm, look: 'button' | 'button plain'): Html {
  return formOf(
    form,
    html`<p><button class="${look}" id="reject" name="reject" value="reject">${authorize.goBack}</button></p>`,
  );
}

/** Whether the request never was, has expired or was answered: the person sees no difference. */
export function endedPage({ texts }: Visit): ShownPage {
  return failed('ended', texts.authorize.states.ended, 400);
}

/** A wallet has led here without a request of its own: what it sent belongs to the pushed authorization request endpoint. */
export function unpushedPage({ texts }: Visit): ShownPage {
  return failed('unpushed', texts.authorize.states.unpushed, 400);
}

export function otherBrowserPage({ texts }: Visit): ShownPage {
  return failed('other-browser', texts.authorize.states['other-browser'], 403);
}

function failed(state: string, text: ShownPage['text'], status: number): ShownPage {
  return { state, text, content: html``, isLive: false, hasForm: true, status };
}

function formOf({ action, hidden }: PageForm, content: Html): Html {
  const fields = Object.entries(hidden).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<form method="post" action="${action}">
${fields}
${content}
</form>`;
}

function askerText({ texts }: Visit, authorization: OpenAuthorization): Html {
  return html`<h2>${texts.authorize.asker}</h2>
<p><bdi>${askerOf(authorization)}</bdi></p>`;
}

/** The name that a wallet gives itself proves nothing, so the place that the person is sent back to stands beside it. */
function askerOf({ clientName, clientId, redirectUri }: OpenAuthorization): string {
  const { protocol, host } = new URL(redirectUri);
  // Marks of direction would move the place within the line.
  const name = (clientName ?? nameOf(clientId)).replace(/\p{Bidi_Control}/gu, '\ufffd');
  const place = host === '' ? protocol : host;
  return name === place ? place : `${name} (${place})`;
}

/** The ids of wallets are often addresses, of which people know the host. */
function nameOf(clientId: string): string {
  return (/^https?:/.test(clientId) ? urlOf(clientId)?.host : undefined) ?? clientId;
}

function credentialCard(visit: Visit, asked: ShownCredential): Html {
  const { texts } = visit;
  const { claims } = asked;
  return html`<li class="card">
<div>
${credentialName(visit, asked)}
${claims === undefined ? html`<p class="quiet">${texts.authorize.dataLater}</p>` : claimList(texts, claims)}
</div>
</li>`;
}

function credentialName({ language }: Visit, { configurationId, display }: ShownCredential): Html {
  const entry = inLanguage(display, language);
  const locale = entry?.locale === undefined ? undefined : html` lang="${entry.locale}"`;
  return html`<p class="name" dir="auto"${locale}>${entry?.name ?? configurationId}</p>
${entry?.description === undefined ? undefined : html`<p dir="auto"${locale}>${entry.description}</p>`}`;
}

function claimList(texts: Visit['texts'], claims: JsonObject): Html {
  const known = new Map<string, string>(Object.entries(texts.request.claims));
  const rows = Object.entries(claims).map(
    ([name, value]) => html`<dt>${known.get(name) ?? name}</dt>
<dd>${shown(value)}</dd>`,
  );
  return html`<p>${texts.authorize.data}</p>
<dl>
${rows}
</dl>`;
}

function shown(value: unknown): string {
  if (typeof value === 'boolean') return value ? '✓' : '✗';
  if (Array.isArray(value)) return value.map((item) => shown(item)).join(', ');
  if (isJsonObject(value))
    return Object.values(value)
      .map((item) => shown(item))
      .join(', ');
  // Pictures are as long as a page.
  return String(value).startsWith('data:') ? '…' : String(value);
}
