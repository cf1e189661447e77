import type { Loaded } from '@app/event-store';
import { whenThere } from '@app/primitives/awaitable';
import { Inject } from '@nestjs/common';
import { CommandHandler, ICommandHandler } from '@nestjs/cqrs';
import { randomUUID } from 'node:crypto';
import { AttachCredential, AwaitCredential, type LinksOfOffer } from '../api';
import { type Attached, attachCredential, awaitCredential } from '../offer/offer-attachment';
import { newOffer, Offers } from '../offer/new-offer';
import { type Offer, OFFERS } from '../offer/offer';
import { OfferLinks } from '../management/offer-links';
import { OfferSecrets } from '../offer/offer-secrets';
import { existing } from '../management/offers.handlers';

@CommandHandler(AttachCredential)
export class AttachCredentialHandler implements ICommandHandler<AttachCredential> {
  constructor(
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
    private readonly links: OfferLinks,
  ) {}

  execute(command: AttachCredential): Promise<Attached & { readonly links: LinksOfOffer }> {
    const { offerId, configurationId, credentialId: chosenId } = command;
    const newId = randomUUID();
    const attach = ({ state, now }: Loaded<Offer>) => {
      if (state) {
        const { events, attached } = attachCredential(state, { configurationId, chosenId, newId }, now);
        return { events, result: attached };
      }
      const credentialId = chosenId ?? newId;
      const salt = this.secrets.handles.newSalt();
      const credentials = [{ configurationId, credentialId }];
      const attached = { credentialId, isAwaited: false };
      return { ...newOffer(this.secrets, { offerId, now, salt, credentials }), result: attached };
    };
    const attached = whenThere(
      this.offers.update(offerId, attach, { isUsuallyNew: true }),
      ({ state: offer, result }) => ({ ...result, links: this.links.of(existing(offer, offerId)) }),
    );
    return Promise.resolve(attached);
  }
}

@CommandHandler(AwaitCredential)
export class AwaitCredentialHandler implements ICommandHandler<AwaitCredential> {
  constructor(@Inject(OFFERS) private readonly offers: Offers) {}

  async execute({ offerId, configurationId, credentialId }: AwaitCredential): Promise<string | undefined> {
    const { result } = await this.offers.update(offerId, ({ state }) => {
      const awaited = awaitCredential(existing(state, offerId), configurationId, credentialId);
      return { events: awaited.events, result: awaited.credentialId };
    });
    return result;
  }
}
