import { EventStore } from '@app/event-store';
import { Module } from '@nestjs/common';
import { AttachCredentialHandler, AwaitCredentialHandler } from './grants/attachment.handlers';
import { FindRefusalsHandler, NoteRefusalHandler, NoteUnexpectedPersonHandler } from './wallet/refusal.handlers';
import { FetchOfferHandler, SendOfferHandler } from './wallet/delivery.handlers';
import { PendingOfferMarks } from './marks/pending-marks';
import { FindGrantOfOfferHandler, RecordDenialsHandler, RecordLostAnswerHandler } from './grants/grant.handlers';
import { CodeDescriptions } from './offer/code-descriptions';
import { OfferTemplates } from './management/offer-templates';
import { offerAggregate, OFFERS } from './offer/offer';
import { EraseOfferHandler } from './management/offer-erasure.handlers';
import { OfferExpiry } from './offer/offer-expiry';
import { OfferPageEndpoint } from './page/offer-page.endpoint';
import { FindOfferPageHandler } from './page/offer-page.handlers';
import { OfferLinks } from './management/offer-links';
import { FindOfferToHandOverHandler } from './management/handover.handlers';
import { OfferObjectEndpoint } from './wallet/offer-object.endpoint';
import { OfferSecrets } from './offer/offer-secrets';
import { OfferSender } from './wallet/offer-sender';
import { OffersController } from './management/offers.controller';
import {
  CountOffersHandler,
  FindOfferLinksHandler,
  GetOfferHandler,
  GetOfferHistoryHandler,
  ListOffersHandler,
  SwitchOfferHandler,
  WithdrawOfferHandler,
} from './management/offers.handlers';
import { OfferedTemplates } from './offer/offered-templates';
import { OpenOfferHandler } from './management/opening.handlers';
import {
  CheckOfferConsentHandler,
  FindOfferOfAuthorizationHandler,
  FindOfferByIssuerStateHandler,
  FindOfferForAuthorizationHandler,
  RedeemOfferByAuthorizationHandler,
} from './grants/authorization.handlers';
import { PromisedCredentials } from './offer/promised-credentials';
import { PublicClaims } from './offer/public-claims';
import { ShownForAuthorization } from './grants/shown-for-authorization';
import { PersonalTerms } from './offer/personal-terms';
import { ReopenOfferHandler } from './management/reopening.handlers';
import { RedeemOfferHandler } from './wallet/redemption.handlers';

@Module({
  controllers: [OffersController, OfferObjectEndpoint, OfferPageEndpoint],
  providers: [
    OfferTemplates,
    { provide: OFFERS, inject: [EventStore], useFactory: (store: EventStore) => store.repository(offerAggregate) },
    OfferSecrets,
    CodeDescriptions,
    PersonalTerms,
    PromisedCredentials,
    PublicClaims,
    ShownForAuthorization,
    FindOfferForAuthorizationHandler,
    FindOfferByIssuerStateHandler,
    CheckOfferConsentHandler,
    RedeemOfferByAuthorizationHandler,
    FindOfferOfAuthorizationHandler,
    OfferedTemplates,
    EraseOfferHandler,
    OfferLinks,
    PendingOfferMarks,
    NoteRefusalHandler,
    NoteUnexpectedPersonHandler,
    FindRefusalsHandler,
    OfferExpiry,
    OpenOfferHandler,
    AttachCredentialHandler,
    AwaitCredentialHandler,
    WithdrawOfferHandler,
    SwitchOfferHandler,
    OfferSender,
    RedeemOfferHandler,
    FindGrantOfOfferHandler,
    RecordDenialsHandler,
    ReopenOfferHandler,
    RecordLostAnswerHandler,
    FetchOfferHandler,
    FindOfferPageHandler,
    SendOfferHandler,
    GetOfferHandler,
    CountOffersHandler,
    FindOfferLinksHandler,
    GetOfferHistoryHandler,
    ListOffersHandler,
    FindOfferToHandOverHandler,
  ],
})
export class OffersModule {}
