import { noteSending } from '@app/audit';
import { EventStore } from '@app/event-store';
import { Problem } from '@app/problem-details';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, ICommandHandler } from '@nestjs/cqrs';
import { loadByHandle, type Offers } from './new-offer';
import { awaitsData, isTakeable, type Offer, OFFERS } from './offer';
import { fetchOffer, fetchWithoutData, sendOffer } from './offer-marks';
import { OfferSecrets } from './offer-secrets';
import { OfferSender } from './offer-sender';

export type Fetched = { readonly offer: Offer; readonly now: Date } | 'awaits-data' | undefined;

/** A wallet reads the offer behind a public handle; nothing when it can no longer be taken up. */
export class FetchOffer extends Command<Fetched> {
  constructor(
    readonly handle: Buffer,
    /** False for who only asks whether there is something, and so leaves no mark. */
    readonly counts: boolean,
  ) {
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

  execute({ handle, counts }: FetchOffer): Promise<Fetched> {
    return this.store.transact(async () => {
      const loaded = await loadByHandle(this.offers, this.secrets, this.secrets.hashOfHandle(handle));
      if (!loaded) return undefined;
      const { id, state, version, now } = loaded;
      const early = awaitsData(state, now);
      if (!early && !isTakeable(state, now)) return undefined;
      const events = early ? fetchWithoutData(state) : fetchOffer(state);
      if (counts && events.length > 0) await this.offers.save(id, version, events);
      return early ? 'awaits-data' : { offer: state, now };
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
    noteSending();
    await this.store.transact(async () => {
      const { state, version } = await this.offers.load(offerId);
      const events = state ? sendOffer(state, { to: `${target.protocol}//${target.host}`, failure }) : [];
      if (events.length > 0) await this.offers.save(offerId, version, events);
    });
    if (failure === undefined) return;
    throw new Problem('send-credential-offer-error', `The offer could not be sent: ${failure}.`);
  }
}
