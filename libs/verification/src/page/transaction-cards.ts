import { decodeTransactionData } from '@app/openid4vc';
import { type Html, html, type Visit } from '@app/pages';
import { typeName } from './asked-credential-text';
import { paragraph, technicalName } from './page-parts';
import type { RequestTerms } from '../request/request-terms';
import { textFor } from '../request/translated-text';

/** What the person confirms by presenting: each entry by its type, and in the words of the portal where it gave some. */
export function transactionCards({ texts, language }: Visit, { transactionData }: RequestTerms): Html | undefined {
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
