import { EventStore } from '@app/event-store';
import { Module } from '@nestjs/common';
import { AUTHORIZATION_REQUESTS, authorizationRequestAggregate } from './request/authorization-request';
import { AskInPageHandler, ComeBackToPageHandler } from './page/asked-in-page.handlers';
import { AuthorizationRequestsController } from './management/authorization-requests.controller';
import { BrowserSessions } from './page/browser-sessions';
import { DigitalCredentialEndpoint } from './response/digital-credential.endpoint';
import { FindExpectedOriginsHandler, ReceiveDigitalCredentialHandler } from './response/digital-credential.handlers';
import { DigitalCredentialRequests } from './rendering/digital-credential-requests';
import { OwnRegistration } from './question/own-registration';
import { PresentationDefinitions } from './question/presentation-definitions';
import { PresentationInputs } from './question/presentation-inputs';
import { EraseRequestHandler } from './management/request-erasure.handlers';
import { PresentedStatuses } from './response/presented-statuses';
import { RequestClients } from './rendering/request-clients';
import { RequestDefaults } from './question/request-defaults';
import { RequestExpiry } from './request/request-expiry';
import { RequestLinks } from './rendering/request-links';
import { RequestPageEndpoint } from './page/request-page.endpoint';
import { RequestPages } from './page/request-pages';
import { RequestsInPages } from './page/requests-in-pages';
import { RequestReturnEndpoint } from './page/request-return.endpoint';
import { ReturnToPageHandler } from './page/request-return.handlers';
import { FindRequestPageHandler } from './page/request-page.handlers';
import { RequestObjectEndpoint } from './rendering/request-object.endpoint';
import { RetrieveRequestHandler } from './rendering/request-object.handlers';
import { PendingRequestMarks } from './request/pending-marks';
import { RequestAnswers } from './response/request-answers';
import { RequestRendering } from './rendering/request-rendering';
import { RequestSecrets } from './request/request-secrets';
import { RequestAddresses } from './rendering/request-address';
import { RequestVariants } from './rendering/request-variants';
import { ResponseEndpoint } from './response/response.endpoint';
import { ResponseJudge } from './response/response-judge';
import { ResponseReader } from './response/response-reader';
import { ReceiveResponseHandler } from './response/response.handlers';
import { ResponseVerifier } from './response/response-verifier';
import {
  AskForPresentationHandler,
  GetAuthorizationRequestHandler,
  GetOpenedRequestHandler,
  ListAuthorizationRequestsHandler,
  RedeemResponseCodeHandler,
} from './management/verification.handlers';
import { VerifyingPolicy } from './response/verifying-policy';
import { ReturnAddress } from './rendering/return-address';

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
    PendingRequestMarks,
    RequestExpiry,
    PresentationDefinitions,
    PresentationInputs,
    OwnRegistration,
    RequestDefaults,
    RequestClients,
    RequestVariants,
    RequestRendering,
    RequestLinks,
    DigitalCredentialRequests,
    RequestPages,
    RequestsInPages,
    ReturnAddress,
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
