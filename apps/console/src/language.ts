import { isLanguage, type Language, languages, speak } from './texts';

const kept = 'console-language';

/** Milliseconds, after the service could not be reached. */
const untilNextAttempt = 2_000;

/** The language that was chosen on this device, else the one that the browser prefers. */
export function preferredLanguage(): Language {
  const preferred = navigator.languages.map((tag) => tag.toLowerCase().split('-', 1)[0] ?? '');
  return [keptLanguage(), ...preferred].find(isLanguage) ?? (Object.keys(languages)[0] as Language);
}

/** Loads the texts of a language, and of no other one; tries until the service answers. */
export async function loadLanguage(language: Language): Promise<void> {
  const address = new URL(`console/texts-${language}.json`, document.baseURI);
  for (;;) {
    const response = await fetch(address).catch(() => undefined);
    if (response?.ok) {
      speak(language, (await response.json()) as Parameters<typeof speak>[1], navigator.languages);
      document.documentElement.lang = language;
      document.documentElement.dir = language === 'ar' ? 'rtl' : 'ltr';
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, untilNextAttempt));
  }
}

export function keepLanguage(language: Language): void {
  try {
    localStorage.setItem(kept, language);
  } catch {
    // A browser that keeps nothing asks again the next time.
  }
}

function keptLanguage(): string {
  try {
    return localStorage.getItem(kept) ?? '';
  } catch {
    return '';
  }
}
