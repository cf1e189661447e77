import { type OfferToHandOver, asciiMailAddress } from '@app/offers';
import { directionOf, filled, html, inLanguage, type Language, languages, textsIn, untilIn } from '@app/pages';
import { withoutHidden } from '@app/primitives/json';
import type { SendMailOptions } from 'nodemailer';

export interface Sender {
  /** Of the issuer, in the language. */
  readonly name: string;
  readonly from: string;
  /** Empty for `from`. */
  readonly replyTo: string;
  /** Whom people can ask: an address or a number. */
  readonly contact: string | undefined;
}

const longestName = 120;

/** The language for a person: that of a delivery, of the recipient, or of the service. */
export function languageFor(offer: OfferToHandOver, asked: Language | null | undefined): Language {
  return asked ?? offer.recipient?.locale ?? languages[0];
}

/** What the offer promises, by its names in the language. */
export function promisedNames({ credentials }: OfferToHandOver, language: Language): string {
  const names = credentials.map(
    ({ configurationId, display }) => inLanguage(display, language)?.name ?? configurationId,
  );
  return new Intl.ListFormat(language, { type: 'conjunction' }).format([...new Set(names.map(shortened))]);
}

/** A mail with the link of the page; `undefined` for an offer without an address. Never with a transaction code. */
export function mailOf(
  offer: OfferToHandOver,
  { deliveryId, language }: { readonly deliveryId: string; readonly language: Language },
  sender: Sender,
): SendMailOptions | undefined {
  const address = asciiMailAddress(offer.recipient?.email ?? '');
  if (address === undefined) return undefined;
  const { mail } = textsIn(language);
  const name = offer.recipient?.name === undefined ? undefined : shortened(offer.recipient.name);
  const values = {
    issuer: shortened(sender.name),
    credential: promisedNames(offer, language),
    name: name ?? '',
    until: untilIn(language, offer.expiresAt),
  };
  const said = (text: string): string => filled(text, values);
  const lines = {
    greeting: said(name === undefined ? mail.greeting : mail.greetingTo),
    intro: said(mail.intro),
    open: said(mail.open),
    until: said(mail.until),
    code: offer.hasTransactionCode ? mail.code : undefined,
    unexpected: said(mail.unexpected),
    contact: sender.contact === undefined ? undefined : `${said(mail.contact)}: ${sender.contact}`,
  };
  const paragraphs = [lines.until, lines.code, lines.unexpected, lines.contact];
  const page = `${offer.page}?language=${language}`;
  const document = html`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head><meta charset="utf-8"><title>${said(mail.subject)}</title></head>
<body style="font: 16px/1.5 sans-serif; max-width: 36em">
<p>${lines.greeting}</p>
<p>${lines.intro}</p>
<p>${lines.open}<br><a href="${page}">${page}</a></p>
${paragraphs.map((line) => (line === undefined ? html`` : html`<p>${line}</p>`))}
<p>${values.issuer}</p>
</body>
</html>
`;
  const plain = [
    lines.greeting,
    lines.intro,
    `${lines.open}\n${page}`,
    ...paragraphs.filter((line) => line !== undefined),
    values.issuer,
  ];
  const domain = sender.from.slice(sender.from.lastIndexOf('@') + 1);
  return {
    envelope: { from: sender.from, to: [address] },
    from: { name: values.issuer, address: sender.from },
    to: { name: name ?? '', address },
    ...(sender.replyTo !== '' && { replyTo: sender.replyTo }),
    subject: said(mail.subject),
    messageId: `<${deliveryId}@${domain}>`,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All', 'Content-Language': language },
    text: `${plain.join('\n\n')}\n`,
    html: document.text,
  };
}

/** One line for people, of a text that may be anything. */
export function shortened(text: string): string {
  const line = withoutHidden(text)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  const characters = Array.from(line);
  return characters.length <= longestName ? line : `${characters.slice(0, longestName - 1).join('')}…`;
}
