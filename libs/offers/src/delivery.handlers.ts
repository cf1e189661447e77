import { EventStore } from '@app/event-store';
import { Problem } from '@app/problem-details';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, ICommandHandler } from '@nestjs/cqrs';
import { handleKind, type Offers } from './new-offer';
import { isTakeable, type Offer, OFFERS } from './offer';
import { fetchOffer, sendOffer } from './offer-marks';
import { OfferSecrets } from './offer-secrets';
import { OfferSender } from './offer-sender';

/** A wallet reads the offer behind a public handle; nothing when it can no longer be taken up. */
export class FetchOffer extends Command<{ readonly offer: Offer; readonly now: Date } | undefined> {
  constructor(readonly handle: Buffer) {
    super();
  }
}

/** Brings an offer to a wallet that waits. Throws `send-credential-offer-error` with the reason. */
export class SendOffer extends Command<void> {
  constructor(
    readonly offerId: string,
    readonly credentialOfferUri: string,
    readonly target: URL,
  ) {
    super();
  }
}

@CommandHandler(FetchOffer)
export class FetchOfferHandler implements ICommandHandler<FetchOffer> {
  constructor(
    private readonly store: EventStore,
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
  ) {}

  execute({ handle }: FetchOffer) {
    return this.store.transact(async () => {
      const loaded = await this.offers.loadByHandle(handleKind, this.secrets.hashOfHandle(handle));
      if (!loaded?.state || !isTakeable(loaded.state, loaded.now)) return undefined;
      const events = fetchOffer(loaded.state);
      if (events.length > 0) await this.offers.save(loaded.id, loaded.version, events);
      return { offer: loaded.state, now: loaded.now };
    });
  }
}

@CommandHandler(SendOffer)
export class SendOfferHandler implements ICommandHandler<SendOffer> {
  constructor(
    private readonly store: EventStore,
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly sender: OfferSender,
  ) {}

  async execute({ offerId, credentialOfferUri, target }: SendOffer): Promise<void> {
    // Not in the unit of work: that may run again, and a wallet is called once.
    const failure = await this.sender.send(credentialOfferUri, target);
    await this.store.transact(async () => {
      const { state, version } = await this.offers.load(offerId);
      const events = state ? sendOffer(state, { to: `${target.protocol}//${target.host}`, failure }) : [];
      if (events.length > 0) await this.offers.save(offerId, version, events);
    });
    if (failure === undefined) return;
    throw new Problem('send-credential-offer-error', `The offer could not be sent: ${failure}.`);
  }
}
