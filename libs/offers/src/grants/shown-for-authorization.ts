import type { Loaded } from '@app/event-store';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { Injectable } from '@nestjs/common';
import type { OfferForAuthorization } from '../api';
import { CodeDescriptions } from '../offer/code-descriptions';
import { isTakeable, isWithoutData, type Offer, type TransactionCode } from '../offer/offer';
import type { ByAuthorization } from '../offer/offer-grants';
import { OfferSecrets } from '../offer/offer-secrets';
import { PersonalTerms } from '../offer/personal-terms';

/** What the authorization of a person has to know of an offer. */
@Injectable()
export class ShownForAuthorization {
  constructor(
    private readonly personal: PersonalTerms,
    private readonly descriptions: CodeDescriptions,
    private readonly secrets: OfferSecrets,
  ) {}

  /** `undefined` when no wallet can accept the offer by authorization code now. */
  of(
    offer: Offer,
    { now, dataKey }: Pick<Loaded<Offer>, 'now' | 'dataKey'>,
  ): Awaitable<OfferForAuthorization | undefined> {
    const { byAuthorization } = offer;
    if (!byAuthorization || !isTakeable(offer, now)) return undefined;
    return whenThere(this.descriptions.open(offer, dataKey), (code) =>
      whenThere(this.personal.subjectOf(offer, dataKey), (subject) =>
        this.shown(offer, byAuthorization, { code, subject }),
      ),
    );
  }

  private shown(
    offer: Offer,
    { identification }: ByAuthorization,
    { code, subject }: { readonly code: TransactionCode | undefined } & Pick<OfferForAuthorization, 'subject'>,
  ): OfferForAuthorization {
    const { offerId, credentials } = offer;
    return {
      offerId,
      handleHash: this.secrets.nameOfLink(offer),
      configurationIds: credentials.map(({ configurationId }) => configurationId),
      identification,
      data: isWithoutData(offer) ? 'authorization' : 'offer',
      subject,
      ...(code && {
        transactionCode: {
          inputMode: code.inputMode,
          length: code.length,
          ...(code.description !== undefined && { description: code.description }),
        },
      }),
    };
  }
}
