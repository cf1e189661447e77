import { isDrawable } from '@app/http';
import { type Html, html } from './html';
import { filled, type WalletForm } from './texts';
import type { Visit } from './visit';

/** One form of the link for wallets. */
export interface LinkForm {
  /** The value of `form` in the address of the page; the usual form has none. */
  readonly id: string | undefined;
  /** For which wallets it is. Absent for the usual form. */
  readonly name: WalletForm | undefined;
  readonly link: string;
}

/** The form that the visitor chose, else the first. */
export function chosenForm(forms: readonly [LinkForm, ...LinkForm[]], chosen: string | null): LinkForm {
  return forms.find(({ id }) => id !== undefined && id === chosen) ?? forms[0];
}

/**
 * The QR code, the button for a wallet on the same device, and the forms of the link for wallets that read another one.
 * @param where the wallet may be; `here`: on the device of the page, so that there is no QR code
 */
export function walletLink(
  { texts: { page }, address, query, language, form: chosen, help }: Visit,
  forms: readonly [LinkForm, ...LinkForm[]],
  where: 'anywhere' | 'here' = 'anywhere',
): Html {
  const form = chosenForm(forms, chosen);
  const picture = `${address}/qr.svg${form.id === undefined ? '' : `?form=${form.id}`}`;
  const code = html`<div>
<p>${page.scan}</p>
<p class="code"><img src="${picture}" width="320" height="320" alt="${page.codeImage}"></p>
</div>`;
  const hasCode = where === 'anywhere' && isDrawable(form.link);
  const others = forms.map(({ id, name }) => {
    const kept = new URLSearchParams(query);
    kept.set('language', language);
    if (id === undefined) kept.delete('form');
    else kept.set('form', id);
    const current = id === form.id ? html` aria-current="true"` : undefined;
    return html`<li><a href="${address}?${kept.toString()}"${current}>${name === undefined ? page.usualForm : page.forms[name]}</a></li>`;
  });
  const choice = html`<p>${page.otherForms}</p>
<ul class="choices">
${others}
</ul>`;
  return html`<div class="take">
${hasCode ? code : html`<p>${where === 'here' ? page.sameDevice : page.tooLong}</p>`}
<p class="here"><a class="button" href="${form.link}">${page.openWallet}</a></p>
</div>
<details${form.id === undefined ? undefined : html` open`}>
<summary>${hasCode ? page.otherWallets : page.notOpening}</summary>
${forms.length > 1 ? choice : undefined}
<p><label for="link">${page.copy}</label>
<input id="link" dir="ltr" readonly value="${form.link}"></p>
</details>
<details>
<summary>${page.noWallet}</summary>
<p>${filled(page.noWalletHelp, { issuer: help.issuer })}</p>
${help.walletHelp === undefined ? undefined : html`<p><a href="${help.walletHelp}">${page.findWallet}</a></p>`}
</details>`;
}
