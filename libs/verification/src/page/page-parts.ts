import { type Html, html, type Visit } from '@app/pages';

/** A paragraph in the words of the portal. */
export function paragraph({ name, locale }: { readonly name: string; readonly locale?: string }): Html {
  return html`<p dir="auto" ${locale === undefined ? undefined : html`lang="${locale}"`}>${name}</p>`;
}

/** What a credential or transaction is called between machines, for those who want to compare it. */
export function technicalName({ request }: Visit['texts'], types: readonly string[]): Html {
  return html`<details class="type">
    <summary>${request.technicalName}</summary>
    <bdi>${types.join(' ')}</bdi>
  </details>`;
}
