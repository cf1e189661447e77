import { type Schema, text } from '@app/http';
import { hasAtMost, hiddenFault, isJsonObject } from '@app/primitives/json';
import { inLanguage, type Language } from '@app/pages';
import type { Violation } from '@app/primitives/problems';

const mostLanguages = 20;
/** BCP 47, without extensions. */
const languageTag = '^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,3}$';
const isLanguageTag = (tag: string): boolean => new RegExp(languageTag).test(tag);

/** What a portal says to people, in one language or in several: by their tags. */
export type GivenText = string | Readonly<Record<string, string>>;

/** How the document shows such a text. @param most characters in each language */
export function translatedText(most: number): Schema {
  const words = { ...text, minLength: 1, maxLength: most };
  const byLanguage = { propertyNames: { pattern: languageTag }, additionalProperties: words };
  return { oneOf: [words, { type: 'object', minProperties: 1, maxProperties: mostLanguages, ...byLanguage }] };
}

/** What is wrong with such a text, relative to it. */
export function faultsOfText(value: unknown, most: number): Violation[] {
  const wanted = `must be a string of 1 to ${most} characters`;
  const faultOf = (one: unknown) =>
    typeof one === 'string' && one !== '' && hasAtMost(one, most) ? hiddenFault(one) : wanted;
  const faultOfAll = faultOf(value);
  if (faultOfAll === undefined) return [];
  if (faultOfAll !== wanted) return [{ pointer: '', message: faultOfAll }];
  if (!isJsonObject(value)) {
    return [
      { pointer: '', message: `${wanted}, or an object of such strings by language: {"en": "...", "de": "..."}` },
    ];
  }
  const tags = Object.keys(value);
  if (tags.length === 0 || tags.length > mostLanguages) {
    return [{ pointer: '', message: `must have 1 to ${mostLanguages} languages` }];
  }
  const seen = new Set<string>();
  return tags.flatMap((tag) => {
    const isRepeated = seen.has(tag.toLowerCase());
    seen.add(tag.toLowerCase());
    const pointer = `/${tag.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!isLanguageTag(tag)) return [{ pointer, message: 'must be named by a language tag such as en or de-AT' }];
    if (isRepeated) return [{ pointer, message: 'is given twice, in upper and lower case' }];
    const message = faultOf(value[tag]);
    return message === undefined ? [] : [{ pointer, message }];
  });
}

/** For people who read none of the languages: English, else the first. */
export function plainText(given: GivenText): string {
  return typeof given === 'string' ? given : (entryFor(given, 'en')?.name ?? '');
}

/** The other languages, where there are some. */
export function translationsOf(given: GivenText): Readonly<Record<string, string>> | undefined {
  return typeof given === 'string' ? undefined : given;
}

/** @param translations absent when the plain text is the only one */
export function textFor(
  language: Language,
  plain: string,
  translations: Readonly<Record<string, string>> | undefined,
): { readonly name: string; readonly locale?: string } {
  return (translations && entryFor(translations, language)) ?? { name: plain };
}

function entryFor(translations: Readonly<Record<string, string>>, language: Language) {
  const entries = Object.entries(translations).map(([locale, name]) => ({ name, locale }));
  return inLanguage(entries, language);
}
