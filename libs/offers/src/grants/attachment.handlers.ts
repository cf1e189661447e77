import type { Loaded, SaveOptions } from '@app/event-store';
import { whenThere } from '@app/primitives/awaitable';
import { Inject } from '@nestjs/common';
import { CommandHandler, ICommandHandler } from '@nestjs/cqrs';
import { randomUUID } from 'node:crypto';
import { AttachCredential, AwaitCredential, type LinksOfOffer } from '../api';
import { type Attached, attachCredential, awaitCredential } from '../offer/offer-attachment';
import { newOffer, Offers } from '../offer/new-offer';
import { type Offer, OFFERS } from '../offer/offer';
import { OfferLinks } from '../management/offer-links';
import { setOptions } from '../offer/offer-options';
import { OfferSecrets } from '../offer/offer-secrets';
import { PersonalTerms } from '../offer/personal-terms';
import { existing } from '../management/offers.handlers';

interface Addressed extends Pick<SaveOptions, 'dataKey'> {
  readonly sealedRecipient?: string;
}

@CommandHandler(AttachCredential)
export class AttachCredentialHandler implements ICommandHandler<AttachCredential> {
  constructor(
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
    private readonly links: OfferLinks,
    private readonly personal: PersonalTerms,
  ) {}

  execute(command: AttachCredential): Promise<Attached & { readonly links: LinksOfOffer }> {
    const { offerId, configurationId, credentialId: chosenId, recipient } = command;
    const newId = randomUUID();
    const attach = ({ state, now }: Loaded<Offer>, addressed: Addressed) => {
      const { sealedRecipient, dataKey } = addressed;
      if (state) {
        const { events, attached } = attachCredential(state, { configurationId, chosenId, newId }, now);
        const set = sealedRecipient === undefined ? [] : setOptions(state, { sealedRecipient }, now);
        return { events: [...events, ...set], result: attached, dataKey };
      }
      const credentialId = chosenId ?? newId;
      const salt = this.secrets.handles.newSalt();
      const credentials = [{ configurationId, credentialId }];
      const attached = { credentialId, isAwaited: false };
      const made = newOffer(this.secrets, { offerId, now, salt, credentials, sealedRecipient });
      return { ...made, result: attached, dataKey };
    };
    const attachTo = (loaded: Loaded<Offer>) =>
      recipient
        ? whenThere(this.personal.sealRecipient(offerId, loaded.dataKey, recipient), (addressed) =>
            attach(loaded, addressed),
          )
        : attach(loaded, {});
    const attached = whenThere(
      this.offers.update(offerId, attachTo, { isUsuallyNew: true }),
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
