import { qrSvg } from '@app/http';
import type { OfferToHandOver } from '@app/offers';
import { IssuerAppearance, type Language, type Letter, lettersPage, untilIn } from '@app/pages';
import { Injectable } from '@nestjs/common';
import { languageFor, promisedNames, shortened } from './message';

/** Offers as letters that people print. */
@Injectable()
export class Letters {
  constructor(private readonly appearance: IssuerAppearance) {}

  /** @param offers one or more, each with the transaction code that is printed in its letter */
  async page(
    offers: readonly { readonly offer: OfferToHandOver; readonly txCode: string | undefined }[],
    locale: Language | undefined,
  ): Promise<string> {
    const [first, ...others] = await Promise.all(offers.map(({ offer, txCode }) => this.letter(offer, txCode, locale)));
    if (!first) throw new Error('letters for no offer');
    return lettersPage([first, ...others]);
  }

  private async letter(
    offer: OfferToHandOver,
    transactionCode: string | undefined,
    locale: Language | undefined,
  ): Promise<Letter> {
    const language = languageFor(offer, locale);
    const { issuer, contact } = this.appearance.helpIn(language);
    const { name } = offer.recipient ?? {};
    return {
      language,
      issuer: shortened(issuer),
      credential: promisedNames(offer, language),
      name: name === undefined ? undefined : shortened(name),
      page: offer.page,
      code: await qrSvg(`${offer.page}?language=${language}`),
      until: untilIn(language, offer.expiresAt),
      transactionCode,
      hasTransactionCode: offer.hasTransactionCode,
      contact: contact && (contact.shown ?? contact.link),
    };
  }
}
