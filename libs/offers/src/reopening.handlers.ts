import { EventStore } from '@app/event-store';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, ICommandHandler, QueryBus } from '@nestjs/cqrs';
import { FindStandings } from './api';
import { handleBinding, lifetimeFrom, type Offers } from './new-offer';
import { OFFERS } from './offer';
import { reopenOffer } from './offer-reopening';
import { OfferSecrets, type TransactionCodeWish } from './offer-secrets';
import { existing, type NewOfferView } from './offers.handlers';

/** A new link for an offer that no wallet can take up any more. Throws `conflict` with the reason. */
export class ReopenOffer extends Command<NewOfferView> {
  constructor(
    readonly offerId: string,
    readonly wish: {
      readonly expiresIn: string | undefined;
      readonly transactionCode: TransactionCodeWish | undefined;
      /** Who asks for it. */
      readonly by: string | undefined;
    },
  ) {
    super();
  }
}

@CommandHandler(ReopenOffer)
export class ReopenOfferHandler implements ICommandHandler<ReopenOffer> {
  constructor(
    private readonly store: EventStore,
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
    private readonly queries: QueryBus,
  ) {}

  execute({ offerId, wish }: ReopenOffer): Promise<NewOfferView> {
    return this.store.transact(async () => {
      const { state, version, now, createdAt = now } = await this.offers.load(offerId);
      const before = existing(state, offerId);
      const held = before.credentials.flatMap(({ credentialId }) => credentialId ?? []);
      const handleSalt = this.secrets.newSalt();
      const secured = wish.transactionCode && this.secrets.newTransactionCode(wish.transactionCode, handleSalt);
      const { expiresAt, extendableUntil } = lifetimeFrom(now, wish.expiresIn);
      const terms = {
        handleSalt,
        expiresAt: expiresAt.toISOString(),
        extendableUntil: extendableUntil.toISOString(),
        transactionCode: secured?.kept,
        ...(wish.by !== undefined && { by: wish.by }),
      };
      const events = reopenOffer(before, terms, await this.queries.execute(new FindStandings(held)), now);
      const consume = [handleBinding(this.secrets, { handleSalt, extendableUntil })];
      const { state: offer } = await this.offers.save(offerId, version, events, { consume });
      return { offer, now, createdAt, isNew: false, ...(secured && { transactionCode: secured.code }) };
    });
  }
}
