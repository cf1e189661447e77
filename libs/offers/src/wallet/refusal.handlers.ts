import { refusalsIn, type TimelineEntry } from '@app/http';
import { Inject } from '@nestjs/common';
import { CommandHandler, ICommandHandler, IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { FindRefusals, NoteRefusal, NoteUnexpectedPerson } from '../api';
import type { Offers } from '../offer/new-offer';
import { OFFERS } from '../offer/offer';
import { OfferSecrets } from '../offer/offer-secrets';
import { PendingOfferMarks } from '../marks/pending-marks';

@CommandHandler(NoteRefusal)
export class NoteRefusalHandler implements ICommandHandler<NoteRefusal> {
  constructor(
    private readonly secrets: OfferSecrets,
    private readonly marks: PendingOfferMarks,
  ) {}

  execute({ from, refusal }: NoteRefusal): Promise<void> {
    const grant = 'hash' in from ? from : this.secrets.readCode(from.preAuthorizedCode)?.grant;
    if (grant) this.marks.refused(grant.hash, refusal);
    return Promise.resolve();
  }
}

@CommandHandler(NoteUnexpectedPerson)
export class NoteUnexpectedPersonHandler implements ICommandHandler<NoteUnexpectedPerson> {
  constructor(
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
    private readonly marks: PendingOfferMarks,
  ) {}

  async execute({ offerId, refusal }: NoteUnexpectedPerson): Promise<void> {
    const { state } = await this.offers.load(offerId);
    if (!state) return;
    this.marks.refused(this.secrets.handles.hashOf(state), refusal);
  }
}

@QueryHandler(FindRefusals)
export class FindRefusalsHandler implements IQueryHandler<FindRefusals> {
  constructor(
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly marks: PendingOfferMarks,
  ) {}

  async execute({ offerId, configurationId }: FindRefusals): Promise<readonly TimelineEntry[]> {
    await this.marks.settle(offerId);
    return refusalsIn(await this.offers.events(offerId), configurationId);
  }
}
