import { type Html, html } from './html';
import type { Visit } from './visit';

/** What a page needs to ask the wallet of its browser. */
export interface BrowserRequest {
  /** For `navigator.credentials.get({ digital })`. */
  readonly digitalCredential: object;
  /** Where the answer is posted. */
  readonly responseUrl: string;
}

/** A button that is shown where the browser can ask a wallet, and what is said when that did not work. */
export function browserButton({ texts: { request } }: Visit, { digitalCredential, responseUrl }: BrowserRequest): Html {
  return html`<div class="browser" data-digital="${JSON.stringify(digitalCredential)}" data-response="${responseUrl}">
<p><button type="button" class="button">${request.askBrowser}</button></p>
<p class="note" role="alert" hidden>${request.browserFailed}</p>
</div>`;
}
