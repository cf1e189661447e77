import type { VNode } from 'preact';
import { type CardDraft, contrastOf, leastContrast } from '../form/card';
import { type FieldDraft, nameOf } from '../form/template-fields';
import { currentLanguage, text } from '../texts';

interface CardPreviewProps {
  readonly card: CardDraft;
  readonly title: string;
  readonly fields: readonly FieldDraft[];
}

/** How wallets may show the credential: on a light and on a dark page, and where images are not loaded. */
export function CardPreview({ card, title, fields }: CardPreviewProps): VNode {
  const contrast = contrastOf(card.ink, card.background);
  const words = card.words[currentLanguage()] ?? Object.values(card.words)[0];
  const shown = {
    name: words?.name || title,
    description: words?.description ?? '',
    claims: fields.slice(0, 3).map((field) => ({
      label: field.labels[currentLanguage()] || field.label || nameOf(field),
      example: field.example,
    })),
  };
  const bare = { ...card, logo: '', image: '' };
  return (
    <section aria-label={text('designs.preview')}>
      <div class="previews">
        <Face card={card} shown={shown} page="light" caption={text('designs.light')} />
        <Face card={card} shown={shown} page="dark" caption={text('designs.dark')} />
        <Face card={bare} shown={shown} page="light" caption={text('designs.withoutImages')} />
      </div>
      <div role="status">
        {contrast !== undefined && contrast < leastContrast && (
          <p class="fault">
            {text('designs.lowContrast', { contrast: Math.floor(contrast * 10) / 10, least: leastContrast })}
          </p>
        )}
      </div>
      {card.image !== '' && <p class="hint">{text('designs.imageHint')}</p>}
    </section>
  );
}

interface Shown {
  readonly name: string;
  readonly description: string;
  readonly claims: readonly { readonly label: string; readonly example: string }[];
}

interface FaceProps {
  readonly card: CardDraft;
  readonly shown: Shown;
  readonly page: 'light' | 'dark';
  readonly caption: string;
}

function Face({ card, shown, page, caption }: FaceProps): VNode {
  // Browsers load here what the console may load: pictures in the address itself.
  const isHere = (address: string): boolean => address.startsWith('data:image/');
  const style = {
    ...(card.background !== '' && { backgroundColor: card.background }),
    ...(card.ink !== '' && { color: card.ink }),
    ...(isHere(card.image) && { backgroundImage: `url("${card.image}")` }),
  };
  return (
    <figure class={`face-page ${page}`}>
      <div class="face" style={style}>
        <div class="face-top">
          {isHere(card.logo) && <img class="face-logo" src={card.logo} alt={card.logoText} />}
          {card.logo !== '' && !isHere(card.logo) && (
            <span class="face-logo">{card.logoText || text('designs.logo')}</span>
          )}
          <strong>{shown.name}</strong>
        </div>
        {shown.description !== '' && <span class="face-about">{shown.description}</span>}
        <dl>
          {shown.claims.map(({ label, example }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{example || '…'}</dd>
            </div>
          ))}
        </dl>
      </div>
      <figcaption>{caption}</figcaption>
    </figure>
  );
}
