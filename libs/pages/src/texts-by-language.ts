import type { Language } from './languages';
import { ar } from './texts/ar';
import { de } from './texts/de';
import { en } from './texts/en';
import { es } from './texts/es';
import { fr } from './texts/fr';
import { it } from './texts/it';
import { nl } from './texts/nl';
import type { Texts } from './texts';

const all: Readonly<Record<Language, Texts>> = { en, de, fr, nl, es, it, ar };

export function textsIn(language: Language): Texts {
  return all[language];
}
