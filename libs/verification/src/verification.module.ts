import { EventStore } from '@app/event-store';
import { Module } from '@nestjs/common';
import { AUTHORIZATION_REQUESTS, authorizationRequestAggregate } from './authorization-request';
import { AskInPageHandler, ComeBackToPageHandler } from './asked-in-page.handlers';
import { AuthorizationRequestsController } from './authorization-requests.controller';
import { BrowserSessions } from './browser-sessions';
import { DigitalCredentialEndpoint } from './digital-credential.endpoint';
import { FindExpectedOriginsHandler, ReceiveDigitalCredentialHandler } from './digital-credential.handlers';
import { DigitalCredentialRequests } from './digital-credential-requests';
import { FirstRetrievals } from './first-retrievals';
import { PresentationDefinitions } from './presentation-definitions';
import { PresentationInputs } from './presentation-inputs';
import { EraseRequestHandler } from './request-erasure.handlers';
import { PresentedStatuses } from './presented-statuses';
import { RequestClients } from './request-clients';
import { RequestDefaults } from './request-defaults';
import { RequestExpiry } from './request-expiry';
import { RequestLinks } from './request-links';
import { RequestPageEndpoint } from './request-page.endpoint';
import { RequestPages } from './request-pages';
import { RequestsInPages } from './requests-in-pages';
import { RequestReturnEndpoint } from './request-return.endpoint';
import { ReturnToPageHandler } from './request-return.handlers';
import { FindRequestPageHandler } from './request-page.handlers';
import { RequestObjectEndpoint } from './request-object.endpoint';
import { RetrieveRequestHandler } from './request-object.handlers';
import { PendingMarks } from './pending-marks';
import { RefusedResponses } from './refused-responses';
import { RequestAnswers } from './request-answers';
import { RequestRendering } from './request-rendering';
import { RequestSecrets } from './request-secrets';
import { RequestAddresses } from './request-address';
import { RequestVariants } from './request-variants';
import { ResponseEndpoint } from './response.endpoint';
import { ResponseJudge } from './response-judge';
import { ResponseReader } from './response-reader';
import { ReceiveResponseHandler } from './response.handlers';
import { ResponseVerifier } from './response-verifier';
import {
  AskForPresentationHandler,
  GetAuthorizationRequestHandler,
  GetOpenedRequestHandler,
  ListAuthorizationRequestsHandler,
  RedeemResponseCodeHandler,
} from './verification.handlers';
import { VerifyingPolicy } from './verifying-policy';
import { WayBack } from './way-back';

@Module({
  controllers: [
    AuthorizationRequestsController,
    RequestPageEndpoint,
    RequestReturnEndpoint,
    RequestObjectEndpoint,
    ResponseEndpoint,
    DigitalCredentialEndpoint,
  ],
  providers: [
    {
      provide: AUTHORIZATION_REQUESTS,
      inject: [EventStore],
      useFactory: (store: EventStore) => store.repository(authorizationRequestAggregate),
    },
    RequestAddresses,
    RequestSecrets,
    FirstRetrievals,
    RefusedResponses,
    PendingMarks,
    RequestExpiry,
    PresentationDefinitions,
    PresentationInputs,
    RequestDefaults,
    RequestClients,
    RequestVariants,
    RequestRendering,
    RequestLinks,
    DigitalCredentialRequests,
    RequestPages,
    RequestsInPages,
    WayBack,
    BrowserSessions,
    PresentedStatuses,
    VerifyingPolicy,
    ResponseVerifier,
    ResponseReader,
    ResponseJudge,
    RequestAnswers,
    AskForPresentationHandler,
    RedeemResponseCodeHandler,
    EraseRequestHandler,
    GetAuthorizationRequestHandler,
    GetOpenedRequestHandler,
    FindRequestPageHandler,
    ReturnToPageHandler,
    ListAuthorizationRequestsHandler,
    RetrieveRequestHandler,
    ReceiveResponseHandler,
    FindExpectedOriginsHandler,
    ReceiveDigitalCredentialHandler,
    AskInPageHandler,
    ComeBackToPageHandler,
  ],
})
export class VerificationModule {}
