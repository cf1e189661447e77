import type { Language } from './languages';
import ar from './texts/ar.json';
import de from './texts/de.json';
import en from './texts/en.json';
import es from './texts/es.json';
import fr from './texts/fr.json';
import it from './texts/it.json';
import nl from './texts/nl.json';

/** Everything that pages say, in one language. `{name}` in a text is replaced; see {@link filled}. */
export type Texts = typeof en;

/** What a page says about a state: what it is, and what the person does next. */
export interface StateText {
  readonly title: string;
  readonly advice: string;
}

/** The states of an offer as the person sees them. */
export type OfferPageState = keyof Texts['offer']['states'];

/** The states of an authorization request as the person sees them. */
export type RequestPageState = keyof Texts['request']['states'];

/** The forms of a link for wallets beside the usual one. */
export type WalletForm = keyof Texts['page']['forms'];

/** Claims that many credentials have under the same names. */
export type KnownClaim = keyof Texts['request']['claims'];

const all: Readonly<Record<Language, Texts>> = { en, de, fr, nl, es, it, ar };

export function textsIn(language: Language): Texts {
  return all[language];
}

/** A text with its `{name}` replaced. */
export function filled(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
