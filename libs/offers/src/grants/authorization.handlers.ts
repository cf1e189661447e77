import { EventStore } from '@app/event-store';
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
import { isWithoutData, OFFERS } from '../offer/offer';
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

  async execute({ named }: FindOfferForAuthorization): Promise<OfferForAuthorization | undefined> {
    const { state, ...loaded } = await this.offers.load(named.offerId);
    const offer = state && (await this.shown.of(state, loaded));
    return offer?.handleHash === named.handleHash ? offer : undefined;
  }
}

@QueryHandler(FindOfferByIssuerState)
export class FindOfferByIssuerStateHandler implements IQueryHandler<FindOfferByIssuerState> {
  constructor(
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
    private readonly shown: ShownForAuthorization,
  ) {}

  async execute({ issuerState }: FindOfferByIssuerState): Promise<OfferForAuthorization | undefined> {
    const handleHash = this.secrets.readIssuerState(issuerState);
    const found = handleHash && (await this.secrets.handles.find(this.offers, handleHash));
    return found && this.shown.of(found.state, found);
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

  async execute({ offerId, transactionCode }: CheckOfferConsent): Promise<OfferConsentCheck> {
    const { result } = await this.offers.update<OfferConsentCheck>(
      offerId,
      ({ state, now }) => {
        if (!state) return { events: [], result: { outcome: 'not-open', triesLeft: 0 } };
        const { events, refusal } = checkConsent(state, this.secrets.judge(state, transactionCode), now);
        const triesLeft = refusal === 'transaction-code-wrong' ? triesLeftAfterWrong(state) : 0;
        return { events, result: { outcome: refusal ?? 'agreed', triesLeft } };
      },
      { attempts },
    );
    return result;
  }
}

@CommandHandler(RedeemOfferByAuthorization)
export class RedeemOfferByAuthorizationHandler implements ICommandHandler<RedeemOfferByAuthorization> {
  constructor(
    private readonly store: EventStore,
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
    private readonly marks: PendingOfferMarks,
    private readonly promised: PromisedCredentials,
    private readonly claims: PublicClaims,
  ) {}

  execute({ named, by }: RedeemOfferByAuthorization): Promise<RedeemedByAuthorization> {
    const { authorizationId, clientId, configurationIds, identifiersGiven } = by;
    return this.store.transact(async () => {
      const { result } = await this.offers.update<RedeemedByAuthorization>(named.offerId, async ({ state, now }) => {
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
      });
      return result;
    });
  }
}

@QueryHandler(FindOfferOfAuthorization)
export class FindOfferOfAuthorizationHandler implements IQueryHandler<FindOfferOfAuthorization> {
  constructor(
    private readonly claims: PublicClaims,
    private readonly secrets: OfferSecrets,
  ) {}

  async execute({ offerId, authorizationId }: FindOfferOfAuthorization): Promise<AuthorizedOffer | undefined> {
    const accepted = await this.claims.acceptedBy(authorizationId, offerId);
    if (!accepted) return undefined;
    return { name: this.secrets.grantOf(accepted), data: isWithoutData(accepted) ? 'authorization' : 'offer' };
  }
}
