import type { VNode } from 'preact';
import type { CardDraft } from '../form/card';
import { languages, text } from '../texts';
import { PictureField } from './pictures';
import { TextField } from './text-field';

interface CardFormProps {
  readonly card: CardDraft;
  readonly onCard: (change: (card: CardDraft) => CardDraft) => void;
}

/** What the credential looks like in a wallet. */
export function CardForm({ card, onCard }: CardFormProps): VNode {
  const set = (change: Partial<CardDraft>): void => {
    onCard((present) => ({ ...present, ...change }));
  };
  const setWords = (language: string, change: object): void => {
    const before = card.words[language] ?? { name: '', description: '' };
    set({ words: { ...card.words, [language]: { ...before, ...change } } });
  };
  return (
    <>
      <Colour
        id="card-background"
        label={text('designs.background')}
        value={card.background}
        onText={(background) => {
          set({ background });
        }}
      />
      <Colour
        id="card-ink"
        label={text('designs.ink')}
        value={card.ink}
        onText={(ink) => {
          set({ ink });
        }}
      />
      <PictureField
        id="card-logo"
        fileLabel={text('designs.logoFile')}
        label={text('designs.logoAddress')}
        value={card.logo}
        onText={(logo) => {
          set({ logo });
        }}
      />
      {card.logo !== '' && (
        <TextField
          id="card-logo-text"
          label={text('designs.logoText')}
          value={card.logoText}
          onText={(logoText) => {
            set({ logoText });
          }}
        />
      )}
      <PictureField
        id="card-image"
        fileLabel={text('designs.imageFile')}
        label={text('designs.imageAddress')}
        value={card.image}
        onText={(image) => {
          set({ image });
        }}
      />
      <details>
        <summary>{text('designs.words')}</summary>
        {Object.entries(languages).map(([language, ownName]) => (
          <fieldset key={language}>
            <legend lang={language}>{ownName}</legend>
            <TextField
              id={`card-name-${language}`}
              label={text('designs.name')}
              value={card.words[language]?.name ?? ''}
              onText={(name) => {
                setWords(language, { name });
              }}
            />
            <TextField
              id={`card-about-${language}`}
              label={text('designs.description')}
              value={card.words[language]?.description ?? ''}
              onText={(description) => {
                setWords(language, { description });
              }}
            />
          </fieldset>
        ))}
      </details>
    </>
  );
}

interface ColourProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly onText: (text: string) => void;
}

/** A colour to write, or to choose where the browser can. */
function Colour({ id, label, value, onText }: ColourProps): VNode {
  return (
    <div class="entry">
      <TextField id={id} label={label} value={value} onText={onText} hint={text('designs.colourHint')} />
      <input
        class="swatch"
        type="color"
        aria-label={text('designs.choose', { what: label })}
        value={/^#[0-9a-f]{6}$/i.test(value) ? value : '#ffffff'}
        onInput={({ currentTarget }) => {
          onText(currentTarget.value);
        }}
      />
    </div>
  );
}
