import { Inject } from '@nestjs/common';
import { CommandHandler, ICommandHandler } from '@nestjs/cqrs';
import { RecordLostAnswer } from './api';
import type { Offers } from './new-offer';
import { OFFERS } from './offer';
import { OfferSecrets } from './offer-secrets';
import { loseAnswer } from './repeated-answer';

@CommandHandler(RecordLostAnswer)
export class RecordLostAnswerHandler implements ICommandHandler<RecordLostAnswer> {
  constructor(
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
  ) {}

  execute({ handleHash }: RecordLostAnswer): Promise<void> {
    return this.secrets.handles.update(this.offers, handleHash, ({ state }) => ({
      events: loseAnswer(state),
      result: undefined,
    }));
  }
}
