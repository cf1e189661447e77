import { EventStore } from '@app/event-store';
import { Inject } from '@nestjs/common';
import { CommandHandler, ICommandHandler } from '@nestjs/cqrs';
import { RecordLostAnswer } from './api';
import { loadByHandle, type Offers } from './new-offer';
import { OFFERS } from './offer';
import { OfferSecrets } from './offer-secrets';
import { loseAnswer } from './repeated-answer';

@CommandHandler(RecordLostAnswer)
export class RecordLostAnswerHandler implements ICommandHandler<RecordLostAnswer> {
  constructor(
    private readonly store: EventStore,
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
  ) {}

  execute({ handleHash }: RecordLostAnswer): Promise<void> {
    return this.store.transact(async () => {
      const loaded = await loadByHandle(this.offers, this.secrets, handleHash);
      const events = loaded ? loseAnswer(loaded.state) : [];
      if (loaded && events.length > 0) await this.offers.save(loaded.id, loaded.version, events);
    });
  }
}
