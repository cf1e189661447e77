/** How dates and numbers are written. */
interface Writing {
  readonly order: 'dmy' | 'mdy';
  readonly separator: string;
  readonly decimal: ',' | '.';
  /** 31 December 2026. */
  readonly example: string;
}

function writing(order: Writing['order'], separator: string, decimal: Writing['decimal']): Writing {
  const example = (order === 'dmy' ? ['31', '12', '2026'] : ['12', '31', '2026']).join(separator);
  return { order, separator, decimal, example };
}

const writings = {
  ar: writing('dmy', '/', '.'),
  de: writing('dmy', '.', ','),
  'de-CH': writing('dmy', '.', '.'),
  'en-GB': writing('dmy', '/', '.'),
  'en-US': writing('mdy', '/', '.'),
  es: writing('dmy', '/', ','),
  fr: writing('dmy', '/', ','),
  it: writing('dmy', '/', ','),
  nl: writing('dmy', '-', ','),
} as const;

export type ImportLocale = keyof typeof writings;

/** By which dates and numbers of a file are read besides `2026-12-31` and `1.5`; never guessed. */
export const importLocales = Object.keys(writings) as ImportLocale[];

/** `YYYY-MM-DD`, or `undefined` for a text that is no date. */
export function writtenDate(text: string, locale: ImportLocale | undefined): string | undefined {
  const iso = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (iso) return existing(iso[1], iso[2], iso[3]);
  if (locale === undefined) return undefined;
  const { order, separator } = writings[locale];
  const [first, second, year, ...others] = text.split(separator);
  if (others.length > 0 || year === undefined || !/^\d{4}$/.test(year)) return undefined;
  const [day, month] = order === 'dmy' ? [first, second] : [second, first];
  return existing(year, month, day);
}

/** As JSON writes it, or `undefined` for a text that is no number. Thousands are not separated. */
export function writtenNumber(text: string, locale: ImportLocale | undefined): string | undefined {
  const decimal = locale === undefined ? '.' : writings[locale].decimal;
  const [whole = '', fraction, ...others] = text.split(decimal);
  if (others.length > 0 || !/^[+-]?\d+$/.test(whole)) return undefined;
  if (fraction !== undefined && !/^\d+$/.test(fraction)) return undefined;
  const digits = whole.replace(/^\+/, '').replace(/^(-?)0+(?=\d)/, '$1');
  return fraction === undefined ? digits : `${digits}.${fraction}`;
}

/** In words of a message. */
export function datesText(locale: ImportLocale | undefined): string {
  return locale === undefined ? 'such as 2026-12-31' : `such as ${writings[locale].example} or 2026-12-31`;
}

export function numbersText(locale: ImportLocale | undefined): string {
  return `such as 1234${locale === undefined ? '.' : writings[locale].decimal}5, without separators of thousands`;
}

function existing(year = '', month = '', day = ''): string | undefined {
  if (!/^\d{1,2}$/.test(month) || !/^\d{1,2}$/.test(day)) return undefined;
  const text = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) ? text : undefined;
}
