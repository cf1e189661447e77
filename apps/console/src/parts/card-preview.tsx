import type { VNode } from 'preact';
import { type CardDraft, contrastOf, leastContrast } from '../form/card';
import { type FieldDraft, nameOf } from '../form/template-fields';
import { currentLanguage, text } from '../texts';
import { useExtremes, usePicture } from './pictures';

interface CardPreviewProps {
  readonly card: CardDraft;
  readonly title: string;
  readonly fields: readonly FieldDraft[];
}

/** How wallets may show the credential: on a light and on a dark page, and where images are not loaded. */
export function CardPreview({ card, title, fields }: CardPreviewProps): VNode {
  const logo = usePicture(card.logo);
  const image = usePicture(card.image);
  const contrast = contrastOf(card.ink, card.background);
  const onImage = leastOf(useExtremes(image, card.background).map((colour) => contrastOf(card.ink, colour)));
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
        <Face {...{ card, shown, logo, image }} page="light" caption={text('designs.light')} />
        <Face {...{ card, shown, logo, image }} page="dark" caption={text('designs.dark')} />
        <Face card={bare} shown={shown} page="light" caption={text('designs.withoutImages')} />
      </div>
      <div role="status">
        {contrast !== undefined && contrast < leastContrast && (
          <p class="fault">
            {text('designs.lowContrast', { contrast: Math.floor(contrast * 10) / 10, least: leastContrast })}
          </p>
        )}
        {onImage !== undefined && onImage < leastContrast && (
          <p class="fault">
            {text('designs.lowContrastOnImage', { contrast: Math.floor(onImage * 10) / 10, least: leastContrast })}
          </p>
        )}
      </div>
      {card.image !== '' && onImage === undefined && <p class="hint">{text('designs.imageHint')}</p>}
    </section>
  );
}

function leastOf(contrasts: readonly (number | undefined)[]): number | undefined {
  const known = contrasts.filter((one) => one !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
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
  /** As far as they are loaded. */
  readonly logo?: string | undefined;
  readonly image?: string | undefined;
}

function Face({ card, shown, page, caption, logo, image }: FaceProps): VNode {
  const style = {
    ...(card.background !== '' && { backgroundColor: card.background }),
    ...(card.ink !== '' && { color: card.ink }),
    ...(image && { backgroundImage: `url("${image}")` }),
  };
  return (
    <figure class={`face-page ${page}`}>
      <div class="face" style={style}>
        <div class="face-top">
          {logo && <img class="face-logo" src={logo} alt={card.logoText} />}
          {card.logo !== '' && !logo && <span class="face-logo">{card.logoText || text('designs.logo')}</span>}
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
