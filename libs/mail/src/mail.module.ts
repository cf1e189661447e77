import { OperationModule } from '@app/operation';
import { Module } from '@nestjs/common';
import { DeliveriesController, HandoverController, LettersController } from './deliveries.controller';
import {
  CancelDeliveriesHandler,
  CancelDeliveryHandler,
  DeliverHandler,
  GetDeliveryHandler,
  ListOfferDeliveriesHandler,
  NoteBounceHandler,
  PrintLettersHandler,
} from './deliveries.handlers';
import { Letters } from './letters';
import {
  CountMailsHandler,
  FindLastDeliveriesHandler,
  QueueMailsHandler,
  StopMailsHandler,
} from './many-mails.handlers';
import { MailHousekeeping } from './mail-housekeeping';
import { Mailers } from './mailers';
import { OfferDeliveryTable } from './offer-delivery-table';
import { FindMailStandingHandler } from './relay-standing';

@Module({
  imports: [OperationModule],
  controllers: [HandoverController, LettersController, DeliveriesController],
  providers: [
    OfferDeliveryTable,
    Mailers,
    Letters,
    MailHousekeeping,
    FindMailStandingHandler,
    DeliverHandler,
    ListOfferDeliveriesHandler,
    GetDeliveryHandler,
    PrintLettersHandler,
    CancelDeliveriesHandler,
    CancelDeliveryHandler,
    NoteBounceHandler,
    QueueMailsHandler,
    StopMailsHandler,
    FindLastDeliveriesHandler,
    CountMailsHandler,
  ],
})
export class MailModule {}
