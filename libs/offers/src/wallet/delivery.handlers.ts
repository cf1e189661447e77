import { noteSending } from '@app/access';
import { type FoundStream, timeAfter } from '@app/event-store';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { Problem } from '@app/primitives/problems';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, ICommandHandler } from '@nestjs/cqrs';
import type { Offers } from '../offer/new-offer';
import { PendingOfferMarks } from '../marks/pending-marks';
import { CodeDescriptions } from '../offer/code-descriptions';
import { awaitsData, isTakeable, type Offer, OFFERS, type TransactionCode } from '../offer/offer';
import { fetchWithoutData, sendOffer } from '../offer/offer-marks';
import { OfferSecrets } from '../offer/offer-secrets';
import { OfferSender } from './offer-sender';

export type Fetched =
  | { readonly offer: Offer; readonly fetchedAt: Date; readonly transactionCode?: TransactionCode }
  | Unfetchable
  | undefined;

/** Why an offer that was found cannot be accepted. */
export type Unfetchable = 'data-missing' | 'not-open';

/** A wallet reads the offer behind a public handle; `undefined` when there is none. */
export class FetchOffer extends Command<Fetched> {
  constructor(
    readonly handleHash: Buffer,
    /** False for a caller who only asks whether there is an offer, and so leaves no mark. */
    readonly counts: boolean,
  ) {
    super();
  }
}

/** Brings an offer to a wallet that waits. Throws `webhook-url-not-allowed`, and `send-credential-offer-error` with the reason. */
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
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
    private readonly marks: PendingOfferMarks,
    private readonly descriptions: CodeDescriptions,
  ) {}

  execute({ handleHash, counts }: FetchOffer): Promise<Fetched> {
    const found = this.secrets.handles.find(this.offers, handleHash);
    return Promise.resolve(whenThere(found, (loaded) => loaded && this.fetch(loaded, handleHash, counts)));
  }

  private fetch(loaded: FoundStream<Offer>, handleHash: Buffer, counts: boolean): Awaitable<Fetched> {
    const { state: offer, now, dataKey } = loaded;
    if (awaitsData(offer, now)) {
      return whenThere(counts ? this.fetchedWithoutData(handleHash) : undefined, () => 'data-missing' as const);
    }
    if (!isTakeable(offer, now)) return 'not-open';
    const fetchedAt = timeAfter(loaded);
    return whenThere(counts ? this.marks.fetched(offer, fetchedAt) : undefined, () =>
      whenThere(this.descriptions.open(offer, dataKey), (transactionCode) => {
        return { offer, fetchedAt, ...(transactionCode && { transactionCode }) };
      }),
    );
  }

  private fetchedWithoutData(handleHash: Buffer): Awaitable<undefined> {
    return this.secrets.handles.update(this.offers, handleHash, ({ state }) => ({
      events: fetchWithoutData(state),
      result: undefined,
    }));
  }
}

@CommandHandler(SendOffer)
export class SendOfferHandler implements ICommandHandler<SendOffer> {
  constructor(
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly sender: OfferSender,
  ) {}

  async execute({ offerId, credentialOfferUri, target }: SendOffer): Promise<void> {
    await this.sender.assertAllowed(target);
    // Not in the unit of work: that may run again, and a wallet is called once.
    const failure = await this.sender.send(credentialOfferUri, target);
    noteSending(offerId);
    const sending = { to: `${target.protocol}//${target.host}`, failure };
    await this.offers.update(offerId, ({ state }) => (state ? sendOffer(state, sending) : []));
    if (failure === undefined) return;
    throw new Problem('send-credential-offer-error', `The offer could not be sent: ${failure}.`);
  }
}
