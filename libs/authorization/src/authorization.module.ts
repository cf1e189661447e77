import { Settings } from '@app/config';
import { EventStore } from '@app/event-store';
import { TemplateLimits } from '@app/http';
import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { AskedConfigurations } from './asked-configurations';
import { authorizationAggregate, type Authorizations, AUTHORIZATIONS } from './authorization';
import { AuthorizationRequests } from './authorization-requests';
import { ErasePersonHandler, FindPersonHandler } from './authorization.handlers';
import { AuthorizationServerMetadataEndpoint } from './authorization-server-metadata.endpoint';
import { AuthorizationRevocations } from './authorization-revocations';
import { AuthorizationSecrets } from './authorization-secrets';
import { AuthorizationSteps } from './authorize/authorization-steps';
import { AuthorizeEndpoint } from './authorize/authorize.endpoint';
import { DevelopmentLogin } from './authorize/development-login';
import { WaysToIdentify } from './authorize/identification';
import { IdentificationMethods } from './authorize/identification-methods';
import { NextStep } from './authorize/next-step';
import { OfferConsent } from './authorize/offer-consent';
import { AuthorizationPages } from './authorize/authorization-pages';
import { IdentifiedPersons } from './identification/identified-persons';
import { LoginCallbackEndpoint } from './identification/login-callback.endpoint';
import { FindLoginStandingHandler, LoginProviderWatch } from './identification/login-provider-watch';
import { IdentificationStates } from './identification/identification-states';
import { LoginKeys } from './identification/login-keys';
import { LoginKeysEndpoint } from './identification/login-keys.endpoint';
import { OpenIdLogin } from './identification/openid-login';
import { PresentationInPage } from './identification/presentation-in-page';
import { PresentationReturnEndpoint } from './identification/presentation-return.endpoint';
import { OPENID_CLIENT, OpenIdProvider } from './identification/openid-provider';
import { PageSessions } from './authorize/page-sessions';
import { PersonData } from './authorize/person-data';
import { UnpushedRequests } from './authorize/unpushed-requests';
import { AttestationChallenges } from './clients/attestation-challenges';
import { ChallengeEndpoint } from './clients/challenge.endpoint';
import { ClientAssertions } from './clients/client-assertions';
import { ClientAuthentication } from './clients/client-authentication';
import { ClientRules } from './clients/client-rules';
import { RegisteredClients } from './clients/registered-clients';
import { WalletAttestations } from './clients/wallet-attestations';
import {
  AwaitGrantedCredentialHandler,
  FindGrantHandler,
  FindWalletRefusalsHandler,
  NoteRefusedWalletHandler,
  ReportDenialsHandler,
  UseProofsHandler,
} from './grant.handlers';
import { DpopProofs } from './dpop/dpop-proofs';
import { AuthorizationCodeGrant } from './grants/authorization-code.grant';
import { CodeTokens } from './grants/code-tokens';
import { GrantTypes } from './grants/grant-types';
import { OfferedGrant } from './grants/offered-grant';
import { PreAuthorizedCodeGrant } from './grants/pre-authorized-code.grant';
import { RefreshTokenGrant } from './grants/refresh-token.grant';
import { AuthorizationsController } from './management/authorizations.controller';
import {
  GetAuthorizationHandler,
  ListAuthorizationsHandler,
  RevokeAuthorizationHandler,
} from './management/management.handlers';
import { NonceEndpoint } from './nonce.endpoint';
import { PushedRequestRules } from './pushed-request-rules';
import { PushedRequestEndpoint } from './pushed-request.endpoint';
import { PersonErasure } from './person-erasure';
import { GrantRefusals } from './refusals';
import { HeldAuthorizationRefusals } from './refused-wallets';
import { RevocationEndpoint } from './revocation.endpoint';
import { TokenEndpoint } from './token.endpoint';
import { WalletTokens } from './wallet-tokens';

@Module({
  controllers: [
    AuthorizationServerMetadataEndpoint,
    PushedRequestEndpoint,
    AuthorizeEndpoint,
    LoginCallbackEndpoint,
    LoginKeysEndpoint,
    PresentationReturnEndpoint,
    TokenEndpoint,
    RevocationEndpoint,
    NonceEndpoint,
    ChallengeEndpoint,
    AuthorizationsController,
  ],
  providers: [
    {
      provide: AUTHORIZATIONS,
      inject: [EventStore],
      useFactory: (store: EventStore) => store.repository(authorizationAggregate),
    },
    AuthorizationSecrets,
    AuthorizationRequests,
    AskedConfigurations,
    PageSessions,
    DevelopmentLogin,
    IdentificationMethods,
    WaysToIdentify,
    PersonData,
    {
      provide: OPENID_CLIENT,
      inject: [Settings],
      useFactory: ({ identification }: Settings) =>
        identification.openid.issuer === '' ? undefined : import('openid-client'),
    },
    LoginKeys,
    OpenIdProvider,
    LoginProviderWatch,
    IdentificationStates,
    OpenIdLogin,
    PresentationInPage,
    UnpushedRequests,
    AuthorizationPages,
    NextStep,
    OfferConsent,
    IdentifiedPersons,
    AuthorizationSteps,
    AttestationChallenges,
    WalletAttestations,
    RegisteredClients,
    ClientAssertions,
    ClientRules,
    ClientAuthentication,
    DpopProofs,
    PushedRequestRules,
    OfferedGrant,
    AuthorizationRevocations,
    PersonErasure,
    CodeTokens,
    AuthorizationCodeGrant,
    RefreshTokenGrant,
    PreAuthorizedCodeGrant,
    GrantTypes,
    GrantRefusals,
    HeldAuthorizationRefusals,
    FindWalletRefusalsHandler,
    WalletTokens,
    ListAuthorizationsHandler,
    GetAuthorizationHandler,
    RevokeAuthorizationHandler,
    ErasePersonHandler,
    FindPersonHandler,
    FindLoginStandingHandler,
    FindGrantHandler,
    AwaitGrantedCredentialHandler,
    ReportDenialsHandler,
    UseProofsHandler,
    NoteRefusedWalletHandler,
  ],
})
export class AuthorizationModule implements OnModuleInit {
  constructor(
    private readonly limits: TemplateLimits,
    @Inject(AUTHORIZATIONS) private readonly authorizations: Authorizations,
  ) {}

  onModuleInit(): void {
    this.limits.knows('authorizationId', async (id) => {
      const { state } = await this.authorizations.load(id);
      const of = (configuration: string) => this.limits.templatesOf('credentialConfigurationId', configuration);
      return state && (await Promise.all(state.configurationIds.map(of))).flatMap((found) => found ?? '');
    });
  }
}
