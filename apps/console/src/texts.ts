import type admin from './texts/en/admin.json';
import type approvals from './texts/en/approvals.json';
import type authorizations from './texts/en/authorizations.json';
import type checks from './texts/en/checks.json';
import type common from './texts/en/common.json';
import type credentials from './texts/en/credentials.json';
import type delivery from './texts/en/delivery.json';
import type designs from './texts/en/designs.json';
import type forms from './texts/en/forms.json';
import type imports from './texts/en/imports.json';
import type issue from './texts/en/issue.json';
import type offers from './texts/en/offers.json';
import type problems from './texts/en/problems.json';
import type reasons from './texts/en/reasons.json';
import type registration from './texts/en/registration.json';
import type requests from './texts/en/requests.json';
import type session from './texts/en/session.json';
import type start from './texts/en/start.json';
import type states from './texts/en/states.json';
import type steps from './texts/en/steps.json';
import type templates from './texts/en/templates.json';
import type tenants from './texts/en/tenants.json';
import type webhooks from './texts/en/webhooks.json';

/** A file for each area and language: English has the names, and the others have the same ones. */
interface Areas {
  readonly admin: typeof admin;
  readonly approvals: typeof approvals;
  readonly authorizations: typeof authorizations;
  readonly checks: typeof checks;
  readonly common: typeof common;
  readonly credentials: typeof credentials;
  readonly delivery: typeof delivery;
  readonly designs: typeof designs;
  readonly forms: typeof forms;
  readonly imports: typeof imports;
  readonly issue: typeof issue;
  readonly offers: typeof offers;
  readonly problems: typeof problems;
  readonly reasons: typeof reasons;
  readonly registration: typeof registration;
  readonly requests: typeof requests;
  readonly session: typeof session;
  readonly start: typeof start;
  readonly states: typeof states;
  readonly steps: typeof steps;
  readonly templates: typeof templates;
  readonly tenants: typeof tenants;
  readonly webhooks: typeof webhooks;
}

/** `offers.title`: the file `offers.json` and a name in it. */
export type TextKey = { [Area in keyof Areas]: `${Area}.${keyof Areas[Area] & string}` }[keyof Areas];

/** A text, or one for each plural form that the language has; `count` chooses. `{name}` in it is replaced. */
type Phrase = string | { readonly [form in Intl.LDMLPluralRule]?: string };

type Texts = Readonly<Record<string, Readonly<Record<string, Phrase>>>>;

/** The languages of the pages for people, by their own names; the first one is for browsers that prefer none of them. */
export const languages = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  nl: 'Nederlands',
  es: 'Español',
  it: 'Italiano',
  ar: 'العربية',
} as const;

export type Language = keyof typeof languages;

export const isLanguage = (name: string): name is Language => Object.hasOwn(languages, name);

interface Spoken {
  readonly language: Language;
  readonly texts: Texts;
  /** BCP 47, with the region of the browser where its language is the same. */
  readonly locale: string;
  readonly plural: Intl.PluralRules;
  readonly number: Intl.NumberFormat;
}

let spoken: Spoken | undefined;

/** What {@link text} says from now on. Pages show it when they are rendered again. */
export function speak(language: Language, texts: Texts, preferred: readonly string[] = []): void {
  const locale = preferred.find((tag) => tag.toLowerCase().split('-', 1)[0] === language) ?? language;
  spoken = {
    ...{ language, texts, locale },
    ...{ plural: new Intl.PluralRules(locale), number: new Intl.NumberFormat(locale) },
  };
}

function now(): Spoken {
  if (!spoken) throw new Error('Texts are read while a page is rendered, and not when its module is loaded.');
  return spoken;
}

export const currentLanguage = (): Language => now().language;
export const currentLocale = (): string => now().locale;

/** A number as the language writes it. */
export const numberText = (value: number): string => now().number.format(value);

const units = ['year', 'month', 'week', 'day', 'hour', 'minute', 'second'] as const;

/** A duration such as `P1Y`, or a word such as `never`, as the language writes it; anything else as it is. */
export function periodText(period: string): string {
  const found = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(period);
  if (!found) return textFor('states', period) ?? period;
  const parts = units.flatMap((unit, index) => {
    const count = found[index + 1];
    if (count === undefined) return [];
    return [new Intl.NumberFormat(now().locale, { style: 'unit', unit, unitDisplay: 'long' }).format(Number(count))];
  });
  return new Intl.ListFormat(now().locale, { type: 'unit' }).format(parts);
}

/** A text in the language of the page. Numbers in it are written as the language does. */
export function text(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  const { count } = values;
  return phrase(key, typeof count === 'number' ? count : undefined).replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name] ?? whole;
    return typeof value === 'number' ? numberText(value) : value;
  });
}

/** The parts of a text in which a `{name}` is more than text: an element stands in its place. */
export function textParts<T>(key: TextKey, values: Readonly<Record<string, T>>, count?: number): (string | T)[] {
  return phrase(key, count)
    .split(/(\{\w+\})/)
    .map((part) =>
      part === '{count}' && count !== undefined
        ? numberText(count)
        : (values[/^\{(\w+)\}$/.exec(part)?.[1] ?? ''] ?? part),
    );
}

/** The text for a word that the service chose, such as a state; undefined for one that has none. */
export function textFor(area: keyof Areas, name: string): string | undefined {
  const found = now().texts[area]?.[name];
  return typeof found === 'string' ? found : undefined;
}

function phrase(key: TextKey, count: number | undefined): string {
  const { texts, plural } = now();
  const [area = '', name = ''] = key.split('.', 2);
  const found = texts[area]?.[name] ?? key;
  if (typeof found === 'string') return found;
  return found[count === undefined ? 'other' : plural.select(count)] ?? found.other ?? key;
}
