import { EventStore } from '@app/event-store';
import { Module } from '@nestjs/common';
import { AttachCredentialHandler, AwaitCredentialHandler } from './attachment.handlers';
import { FindRefusalsHandler, NoteRefusalHandler, NoteUnexpectedPersonHandler } from './refusal.handlers';
import { FetchOfferHandler, SendOfferHandler } from './delivery.handlers';
import { FirstFetches } from './first-fetches';
import { PendingMarks } from './pending-marks';
import { RefusedWallets } from './refused-wallets';
import { FindGrantOfOfferHandler, RecordDenialsHandler, RecordLostAnswerHandler } from './grant.handlers';
import { CodeDescriptions } from './code-descriptions';
import { offerAggregate, OFFERS } from './offer';
import { EraseOfferHandler } from './offer-erasure.handlers';
import { OfferExpiry } from './offer-expiry';
import { OfferPageEndpoint } from './offer-page.endpoint';
import { FindOfferPageHandler } from './offer-page.handlers';
import { OfferLinks } from './offer-links';
import { OfferObjectEndpoint } from './offer-object.endpoint';
import { OfferSecrets } from './offer-secrets';
import { OfferSender } from './offer-sender';
import { OffersController } from './offers.controller';
import {
  GetOfferHandler,
  GetOfferHistoryHandler,
  ListOffersHandler,
  SwitchOfferHandler,
  WithdrawOfferHandler,
} from './offers.handlers';
import { OfferedTemplates } from './offered-templates';
import { OpenOfferHandler } from './opening.handlers';
import {
  CheckOfferConsentHandler,
  FindOfferOfAuthorizationHandler,
  FindOfferByIssuerStateHandler,
  FindOfferForAuthorizationHandler,
  RedeemOfferByAuthorizationHandler,
} from './authorization.handlers';
import { PromisedCredentials } from './promised-credentials';
import { PublicClaims } from './public-claims';
import { ShownForAuthorization } from './shown-for-authorization';
import { PersonalTerms } from './personal-terms';
import { ReopenOfferHandler } from './reopening.handlers';
import { RedeemOfferHandler } from './redemption.handlers';

@Module({
  controllers: [OffersController, OfferObjectEndpoint, OfferPageEndpoint],
  providers: [
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
    FirstFetches,
    RefusedWallets,
    PendingMarks,
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
    GetOfferHistoryHandler,
    ListOffersHandler,
  ],
})
export class OffersModule {}
