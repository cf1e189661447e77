import type { Loaded } from '@app/event-store';
import { Injectable } from '@nestjs/common';
import type { OfferForAuthorization } from '../api';
import { CodeDescriptions } from '../offer/code-descriptions';
import { isTakeable, isWithoutData, type Offer } from '../offer/offer';
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
  async of(
    offer: Offer,
    { now, dataKey }: Pick<Loaded<Offer>, 'now' | 'dataKey'>,
  ): Promise<OfferForAuthorization | undefined> {
    const { offerId, credentials, byAuthorization } = offer;
    if (!byAuthorization || !isTakeable(offer, now)) return undefined;
    const code = await this.descriptions.open(offer, dataKey);
    return {
      offerId,
      handleHash: this.secrets.nameOfLink(offer),
      configurationIds: credentials.map(({ configurationId }) => configurationId),
      identification: byAuthorization.identification,
      data: isWithoutData(offer) ? 'authorization' : 'offer',
      subject: await this.personal.subjectOf(offer, dataKey),
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
