import { EventStore } from '@app/event-store';
import { whenThere } from '@app/primitives/awaitable';
import { Inject } from '@nestjs/common';
import { CommandHandler, ICommandHandler, IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import type { Grant } from '../offer/grant';
import { FindGrantOfOffer, RecordDenials, RecordLostAnswer } from '../api';
import type { Offers } from '../offer/new-offer';
import { isWithoutData, type Offer, OFFERS } from '../offer/offer';
import { denyCredentials, sharedDenials } from '../offer/offer-marks';
import { OfferSecrets } from '../offer/offer-secrets';
import { loseAnswer } from '../offer/repeated-answer';

@QueryHandler(FindGrantOfOffer)
export class FindGrantOfOfferHandler implements IQueryHandler<FindGrantOfOffer> {
  constructor(
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
  ) {}

  execute({ name }: FindGrantOfOffer): Promise<Grant | undefined> {
    const found = this.secrets.handles.find(this.offers, name.hash);
    return Promise.resolve(whenThere(found, (loaded) => loaded && grantOf(loaded.state, loaded.now)));
  }
}

function grantOf(offer: Offer, now: Date): Grant | undefined {
  if (offer.status !== 'redeemed') return undefined;
  const { offerId, credentials, granted } = offer;
  return { offerId, credentials, ...granted, data: dataOf(offer), now };
}

function dataOf({ claimOf, isDeferred }: Offer): Exclude<Grant['data'], 'authorization'> {
  if (claimOf !== undefined) return 'constant';
  return isDeferred ? 'deferred' : 'submitted';
}

@CommandHandler(RecordDenials)
export class RecordDenialsHandler implements ICommandHandler<RecordDenials> {
  constructor(
    private readonly store: EventStore,
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
  ) {}

  execute({ name, denials }: RecordDenials): Promise<void> {
    return this.store.transact(async () => {
      const marked = await this.secrets.handles.update(this.offers, name.hash, ({ state }) => ({
        events: denyCredentials(state, denials),
        result: state,
      }));
      // Of a public offer the portal watches the offer itself, not the claims that wallets made.
      if (marked?.claimOf === undefined) return;
      const shared = sharedDenials(denials, !isWithoutData(marked));
      await this.offers.update(marked.claimOf, ({ state }) => (state ? denyCredentials(state, shared) : []));
    });
  }
}

@CommandHandler(RecordLostAnswer)
export class RecordLostAnswerHandler implements ICommandHandler<RecordLostAnswer> {
  constructor(
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
  ) {}

  execute({ name }: RecordLostAnswer): Promise<void> {
    const recorded = this.secrets.handles.update(this.offers, name.hash, ({ state }) => ({
      events: loseAnswer(state),
      result: undefined,
    }));
    return Promise.resolve(recorded);
  }
}
