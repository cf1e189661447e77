import { ConflictError, EventStore } from '@app/event-store';
import { Inject } from '@nestjs/common';
import { CommandHandler, ICommandHandler, IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { randomUUID } from 'node:crypto';
import { FindGrant, type Grant, RecordDenials, type Redeemed, RedeemOffer } from './api';
import { handleKind, type Offers, saveNewOffer } from './new-offer';
import { type Offer, type OfferEvent, OFFERS, redeemOffer } from './offer';
import { type Denial, denyCredentials, sharedDenials } from './offer-marks';
import { OfferSecrets } from './offer-secrets';

@CommandHandler(RedeemOffer)
export class RedeemOfferHandler implements ICommandHandler<RedeemOffer> {
  constructor(
    private readonly store: EventStore,
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
  ) {}

  async execute(command: RedeemOffer): Promise<Redeemed> {
    const code = this.secrets.readCode(command.preAuthorizedCode);
    if (!code) return { outcome: 'refused', reason: 'unknown-code' };
    const redeem = (): Promise<Redeemed> => this.tryOnce(command, code);
    try {
      return await this.store.transact(redeem);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      // Five wrong transaction codes end an offer and one fetch marks it, so nobody loses more than six times against
      // others: a second round of attempts comes to an answer about the code, also for the one who has the right one.
      return this.store.transact(redeem);
    }
  }

  private async tryOnce(
    { transactionCode, requestedConfigurationIds }: RedeemOffer,
    code: { readonly handle: Buffer; readonly expiresAt: Date },
  ): Promise<Redeemed> {
    const loaded = await this.offers.loadByHandle(handleKind, this.secrets.hashOfHandle(code.handle));
    if (!loaded?.state) return { outcome: 'refused', reason: 'unknown-code' };
    const { id, state, version, now } = loaded;
    if (now >= code.expiresAt) return { outcome: 'refused', reason: 'not-open' };
    const configurationIds = requestedConfigurationIds ?? state.credentials.map((one) => one.configurationId);
    const { events, refusal } = redeemOffer(state, {
      transactionCode: this.judge(state, transactionCode),
      granted: { configurationIds, identifiersGiven: requestedConfigurationIds !== undefined },
      now,
    });
    if (state.isPublic && !refusal) return this.claim(state, events, { configurationIds, now });
    if (events.length > 0) await this.offers.save(id, version, events);
    if (refusal) return { outcome: 'refused', reason: refusal };
    return { outcome: 'redeemed', handle: code.handle, configurationIds, now };
  }

  /** A public offer stays as it is, so that any number of wallets can take it up at once: each gets a claim. */
  private async claim(
    offer: Offer,
    redeemed: readonly OfferEvent[],
    { configurationIds, now }: { readonly configurationIds: readonly string[]; readonly now: Date },
  ): Promise<Redeemed> {
    const salt = this.secrets.newSalt();
    const { credentials, expiresAt, offerId: claimOf } = offer;
    const claim = { offerId: randomUUID(), now, salt, credentials, expiresAt, claimOf };
    await saveNewOffer(this.offers, this.secrets, claim, redeemed);
    return { outcome: 'redeemed', handle: this.secrets.handleOf({ handleSalt: salt }), configurationIds, now };
  }

  private judge(offer: Offer, given: string | undefined): 'absent' | 'matches' | 'differs' {
    if (given === undefined) return 'absent';
    return this.secrets.matchesTransactionCode(offer, given) ? 'matches' : 'differs';
  }
}

@QueryHandler(FindGrant)
export class FindGrantHandler implements IQueryHandler<FindGrant> {
  constructor(
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
  ) {}

  async execute({ handle }: FindGrant): Promise<Grant | undefined> {
    const loaded = await this.offers.loadByHandle(handleKind, this.secrets.hashOfHandle(handle));
    if (loaded?.state?.status !== 'redeemed') return undefined;
    const { offerId, credentials, granted, claimOf } = loaded.state;
    return { offerId, credentials, ...granted, isClaim: claimOf !== undefined, now: loaded.now };
  }
}

@CommandHandler(RecordDenials)
export class RecordDenialsHandler implements ICommandHandler<RecordDenials> {
  constructor(
    private readonly store: EventStore,
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
  ) {}

  execute({ handle, denials }: RecordDenials): Promise<void> {
    return this.store.transact(async () => {
      const loaded = await this.offers.loadByHandle(handleKind, this.secrets.hashOfHandle(handle));
      if (!loaded?.state) return;
      await this.mark(loaded.id, denials);
      // Of a public offer the portal watches the offer itself, not the claims that wallets made.
      const { claimOf } = loaded.state;
      if (claimOf !== undefined) await this.mark(claimOf, sharedDenials(denials));
    });
  }

  private async mark(offerId: string, denials: readonly Denial[]): Promise<void> {
    const { state, version } = await this.offers.load(offerId);
    const events = state ? denyCredentials(state, denials) : [];
    if (events.length > 0) await this.offers.save(offerId, version, events);
  }
}
