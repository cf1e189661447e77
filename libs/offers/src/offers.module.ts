import { EventStore } from '@app/event-store';
import { Module } from '@nestjs/common';
import { offerAggregate, OFFERS } from './offer';
import { OfferObjectEndpoint } from './offer-object.endpoint';
import { OfferSecrets } from './offer-secrets';
import { OffersController } from './offers.controller';
import {
  AttachCredentialHandler,
  FindGrantHandler,
  FindOpenOfferHandler,
  GetOfferHandler,
  ListOffersHandler,
  OpenOfferHandler,
  RedeemOfferHandler,
  WithdrawOfferHandler,
} from './offers.handlers';

@Module({
  controllers: [OffersController, OfferObjectEndpoint],
  providers: [
    { provide: OFFERS, inject: [EventStore], useFactory: (store: EventStore) => store.repository(offerAggregate) },
    OfferSecrets,
    OpenOfferHandler,
    AttachCredentialHandler,
    WithdrawOfferHandler,
    RedeemOfferHandler,
    FindGrantHandler,
    FindOpenOfferHandler,
    GetOfferHandler,
    ListOffersHandler,
  ],
})
export class OffersModule {}
