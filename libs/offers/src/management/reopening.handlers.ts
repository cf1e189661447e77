import type { Conditions } from '@app/http';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, ICommandHandler, QueryBus } from '@nestjs/cqrs';
import { FindStandings } from '../api';
import { CodeDescriptions } from '../offer/code-descriptions';
import { PendingOfferMarks } from '../marks/pending-marks';
import type { Offers } from '../offer/new-offer';
import { OFFERS } from '../offer/offer';
import { boundUntil, lifetimeFrom } from '../offer/offer-lifetime';
import { reopenOffer } from '../offer/offer-reopening';
import { OfferSecrets, type TransactionCodeOptions } from '../offer/offer-secrets';
import { asDemanded, viewOf } from './offers.handlers';
import type { NewOfferView } from './opening.handlers';

/** A new link for an offer that no wallet can accept any more. Throws `conflict` with the reason. */
export class ReopenOffer extends Command<NewOfferView> {
  constructor(
    readonly offerId: string,
    readonly options: {
      readonly expiresIn: string | undefined;
      readonly transactionCode: TransactionCodeOptions | undefined;
      /** The principal that asks for it. */
      readonly by: string | undefined;
    },
    readonly conditions: Conditions,
  ) {
    super();
  }
}

@CommandHandler(ReopenOffer)
export class ReopenOfferHandler implements ICommandHandler<ReopenOffer> {
  constructor(
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
    private readonly marks: PendingOfferMarks,
    private readonly queries: QueryBus,
    private readonly descriptions: CodeDescriptions,
  ) {}

  async execute({ offerId, options, conditions }: ReopenOffer): Promise<NewOfferView> {
    await this.marks.settle(offerId);
    const { result: transactionCode, ...reopened } = await this.offers.update(offerId, async (loaded) => {
      const before = asDemanded(loaded, offerId, conditions);
      const { now, dataKey: wrappedKey } = loaded;
      const held = before.credentials.flatMap(({ credentialId }) => credentialId ?? []);
      const handleSalt = this.secrets.handles.newSalt();
      const secured = options.transactionCode && this.secrets.newTransactionCode(options.transactionCode, handleSalt);
      const sealed = secured && (await this.descriptions.seal(offerId, wrappedKey, secured.kept));
      const { expiresAt, extendableUntil } = lifetimeFrom(now, options.expiresIn);
      const terms = {
        handleSalt,
        expiresAt: expiresAt.toISOString(),
        extendableUntil: extendableUntil.toISOString(),
        transactionCode: sealed?.code,
        ...(options.by !== undefined && { by: options.by }),
      };
      const events = reopenOffer(before, terms, await this.queries.execute(new FindStandings(held)), now);
      const binding = this.secrets.handles.bindingOf(terms, boundUntil(extendableUntil, before.isDeferred));
      return { events, consume: [binding], dataKey: sealed?.dataKey, result: secured?.code };
    });
    return { ...viewOf(reopened, offerId), isNew: false, ...(transactionCode !== undefined && { transactionCode }) };
  }
}
