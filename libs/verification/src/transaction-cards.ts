import { decodeTransactionData } from '@app/openid4vc';
import { type Html, html, type Visit } from '@app/pages';
import { typeName } from './asked-words';
import type { RequestTerms } from './request-terms';

/** What the person confirms by presenting: each entry by its type, and in the words of the portal where it gave some. */
export function transactionCards({ texts }: Visit, { transactionData }: RequestTerms): Html | undefined {
  if (!transactionData) return undefined;
  const cards = transactionData.map(({ encoded, shownAs }) => {
    const { type } = decodeTransactionData(encoded);
    return html`<li class="card">
      <div>
        <p class="name"><bdi>${typeName(type)}</bdi></p>
        ${shownAs === undefined ? undefined : html`<p dir="auto">${shownAs}</p>`}
        <p class="type">${type}</p>
      </div>
    </li>`;
  });
  return html`<h2>${texts.request.confirmation}</h2>
    <ul class="cards">
      ${cards}
    </ul>`;
}
