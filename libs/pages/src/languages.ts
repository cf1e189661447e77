import Negotiator from 'negotiator';

/** The languages of the pages, with their own names; the first one is for people who prefer none of them. */
export const languageNames = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  nl: 'Nederlands',
  es: 'Español',
  it: 'Italiano',
  ar: 'العربية',
} as const;

export type Language = keyof typeof languageNames;

export const languages = Object.keys(languageNames) as [Language, ...Language[]];

/** The direction in which a language is written. */
export function directionOf(language: Language): 'ltr' | 'rtl' {
  return language === 'ar' ? 'rtl' : 'ltr';
}

/**
 * The language of a page: the one that was chosen on it, else the one that the browser prefers (RFC 9110 §12.5.4).
 * @param chosen from the address, so it can be anything
 */
export function preferredLanguage(acceptLanguage: string | undefined, chosen: string | null): Language {
  const known = languages.find((language) => language === chosen);
  if (known) return known;
  const preferred = new Negotiator({ headers: { 'accept-language': acceptLanguage } }).language([...languages]);
  return languages.find((language) => language === preferred) ?? languages[0];
}

/** The entry for a language: of the same language, else without one, else in English, else the first. */
export function inLanguage<T extends { readonly name: string; readonly locale?: string }>(
  entries: readonly T[] | undefined,
  language: Language,
): T | undefined {
  const isIn = (wanted: string) => (entry: T) => entry.locale?.toLowerCase().split('-', 1)[0] === wanted;
  return (
    entries?.find(isIn(language)) ??
    entries?.find(({ locale }) => locale === undefined) ??
    entries?.find(isIn('en')) ??
    entries?.[0]
  );
}

/** A time for people, whose time zone nobody knows. */
export function untilIn(language: Language, time: Date): string {
  const day = { day: 'numeric', month: 'long', year: 'numeric' } as const;
  const clock = { hour: '2-digit', minute: '2-digit', timeZone: 'UTC', timeZoneName: 'short' } as const;
  return new Intl.DateTimeFormat(language, { ...day, ...clock }).format(time);
}
