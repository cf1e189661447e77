import type { Decision, Loaded } from '@app/event-store';
import { whenThere } from '@app/primitives/awaitable';
import { Inject } from '@nestjs/common';
import { CommandHandler, ICommandHandler, IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import {
  type AuthorizedOffer,
  CheckOfferConsent,
  FindOfferOfAuthorization,
  FindOfferByIssuerState,
  FindOfferForAuthorization,
  type OfferConsentCheck,
  type OfferForAuthorization,
  type RedeemedByAuthorization,
  RedeemOfferByAuthorization,
} from '../api';
import { PendingOfferMarks } from '../marks/pending-marks';
import type { Offers } from '../offer/new-offer';
import { isWithoutData, type Offer, type OfferEvent, OFFERS } from '../offer/offer';
import { denyCredentials } from '../offer/offer-marks';
import { checkConsent, redeemByAuthorization, triesLeftAfterWrong } from '../offer/offer-redemption';
import { OfferSecrets } from '../offer/offer-secrets';
import { PromisedCredentials } from '../offer/promised-credentials';
import { PublicClaims } from '../offer/public-claims';
import { ShownForAuthorization } from './shown-for-authorization';

@QueryHandler(FindOfferForAuthorization)
export class FindOfferForAuthorizationHandler implements IQueryHandler<FindOfferForAuthorization> {
  constructor(
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly shown: ShownForAuthorization,
  ) {}

  execute({ named }: FindOfferForAuthorization): Promise<OfferForAuthorization | undefined> {
    const shown = whenThere(
      this.offers.load(named.offerId),
      ({ state, ...loaded }) => state && this.shown.of(state, loaded),
    );
    return Promise.resolve(whenThere(shown, (offer) => (offer?.handleHash === named.handleHash ? offer : undefined)));
  }
}

@QueryHandler(FindOfferByIssuerState)
export class FindOfferByIssuerStateHandler implements IQueryHandler<FindOfferByIssuerState> {
  constructor(
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
    private readonly shown: ShownForAuthorization,
  ) {}

  execute({ issuerState }: FindOfferByIssuerState): Promise<OfferForAuthorization | undefined> {
    const handleHash = this.secrets.readIssuerState(issuerState);
    const found = handleHash && this.secrets.handles.find(this.offers, handleHash);
    return Promise.resolve(whenThere(found, (offer) => offer && this.shown.of(offer.state, offer)));
  }
}

/** As many as for a pre-authorized code: five wrong transaction codes end an offer. */
const attempts = 8;

@CommandHandler(CheckOfferConsent)
export class CheckOfferConsentHandler implements ICommandHandler<CheckOfferConsent> {
  constructor(
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
  ) {}

  execute({ offerId, transactionCode }: CheckOfferConsent): Promise<OfferConsentCheck> {
    const checked = this.offers.update<OfferConsentCheck>(
      offerId,
      ({ state, now }) => {
        if (!state) return { events: [], result: { outcome: 'not-open', triesLeft: 0 } };
        const { events, refusal } = checkConsent(state, this.secrets.judge(state, transactionCode), now);
        const triesLeft = refusal === 'transaction-code-wrong' ? triesLeftAfterWrong(state) : 0;
        return { events, result: { outcome: refusal ?? 'agreed', triesLeft } };
      },
      { attempts },
    );
    return Promise.resolve(whenThere(checked, ({ result }) => result));
  }
}

@CommandHandler(RedeemOfferByAuthorization)
export class RedeemOfferByAuthorizationHandler implements ICommandHandler<RedeemOfferByAuthorization> {
  constructor(
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
    private readonly marks: PendingOfferMarks,
    private readonly promised: PromisedCredentials,
    private readonly claims: PublicClaims,
  ) {}

  execute({ named, by }: RedeemOfferByAuthorization): Promise<RedeemedByAuthorization> {
    const redeemed = this.offers.update(named.offerId, (loaded) => this.redeem(loaded, named, by));
    return Promise.resolve(whenThere(redeemed, ({ result }) => result));
  }

  private async redeem(
    { state, now }: Loaded<Offer>,
    named: RedeemOfferByAuthorization['named'],
    by: RedeemOfferByAuthorization['by'],
  ): Promise<Decision<OfferEvent, RedeemedByAuthorization>> {
    const { authorizationId, clientId, configurationIds, identifiersGiven } = by;
    if (!state || this.secrets.nameOfLink(state) !== named.handleHash) {
      return { events: [], result: { outcome: 'refused', reason: 'not-open' } };
    }
    const { events, refusal } = redeemByAuthorization(state, {
      by: { authorizationId, clientId },
      granted: { configurationIds, identifiersGiven },
      fetchedAt: this.marks.fetchedAt(state),
      now,
    });
    if (refusal) return { events, result: { outcome: 'refused', reason: refusal } };
    const denials = await this.promised.denialsOf(configurationIds, state);
    if (denials.length === configurationIds.length) {
      return { events: denyCredentials(state, denials), result: { outcome: 'refused', reason: 'not-issued' } };
    }
    if (!state.isPublic) return { events, result: { outcome: 'redeemed' } };
    await this.claims.make(state, events, now, { authorizationId });
    return { events: [], result: { outcome: 'redeemed' } };
  }
}

@QueryHandler(FindOfferOfAuthorization)
export class FindOfferOfAuthorizationHandler implements IQueryHandler<FindOfferOfAuthorization> {
  constructor(
    private readonly claims: PublicClaims,
    private readonly secrets: OfferSecrets,
  ) {}

  execute({ offerId, authorizationId }: FindOfferOfAuthorization): Promise<AuthorizedOffer | undefined> {
    const found = whenThere(
      this.claims.acceptedBy(authorizationId, offerId),
      (accepted): AuthorizedOffer | undefined =>
        accepted && {
          name: this.secrets.grantOf(accepted),
          data: isWithoutData(accepted) ? 'authorization' : 'offer',
        },
    );
    return Promise.resolve(found);
  }
}
