import type { VNode } from 'preact';
import { currentLanguage, isLanguage, type Language, languages, text } from '../texts';

/** The languages by their own names. */
export function LanguageChoice({ onChoose }: { readonly onChoose: (language: Language) => void }): VNode {
  return (
    <select
      class="language"
      aria-label={text('common.language')}
      value={currentLanguage()}
      onChange={({ currentTarget: { value } }) => {
        if (isLanguage(value)) onChoose(value);
      }}
    >
      {Object.entries(languages).map(([language, name]) => (
        <option key={language} value={language} lang={language}>
          {name}
        </option>
      ))}
    </select>
  );
}
