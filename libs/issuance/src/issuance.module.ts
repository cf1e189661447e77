import { DpopProofs, WalletAuthentication, WalletTokens } from '@app/authorization';
import { EventStore } from '@app/event-store';
import { Module } from '@nestjs/common';
import { ApproveCredentialHandler } from './management/approval.handlers';
import { AuthorizedCredentials } from './wallet/authorized-credentials';
import { AuthorizedGrants } from './wallet/authorized-grants';
import { AuthorizedDataController } from './management/authorized-data.controller';
import { SubmitAuthorizedDataHandler } from './management/authorized-data.handlers';
import { CredentialApprovalController } from './management/credential-approval.controller';
import { DataWebhook } from './wallet/data-webhook';
import { EraseCredentialHandler } from './management/credential-erasure.handlers';
import { CredentialPersonalDataController } from './management/personal-data.controller';
import { CredentialEncryption } from './wallet/credential-encryption';
import { CredentialEndpoint } from './wallet/credential.endpoint';
import { CredentialRecords } from './wallet/credential-records';
import { CredentialReferences } from './content/credential-references';
import { CredentialSigner } from './wallet/credential-signer';
import { CredentialTemplates } from './management/credential-templates';
import { credentialAggregate, CREDENTIALS } from './credential/credential';
import { CredentialBatchController } from './management/credential-batch.controller';
import {
  CredentialValiditiesController,
  CredentialValidityController,
} from './management/credential-validity.controller';
import { CarryOutRevocationHandler, ChangeValidityHandler } from './management/credential-validity.handlers';
import { CredentialsController } from './management/credentials.controller';
import { DeferredCredentialEndpoint } from './wallet/deferred-credential.endpoint';
import { DenyCredentialHandler } from './management/denial.handlers';
import {
  FindByReferenceHandler,
  FindByReferencesHandler,
  ListCredentialsHandler,
} from './management/credential-lists.handlers';
import {
  CheckCredentialHandler,
  GetCredentialHandler,
  PrepareCredentialHandler,
} from './management/credentials.handlers';
import { GrantedCredentials } from './wallet/granted-credentials';
import { IssueCredentialsHandler } from './wallet/issue.handlers';
import { IssuerSignatures } from './content/issuer-signatures';
import { IssuerDocuments } from './metadata/issuer-documents';
import { IssuerMetadataEndpoint } from './metadata/issuer-metadata.endpoint';
import { KeyAttestations } from './wallet/key-attestations';
import { NonceUses } from './wallet/nonce-uses';
import { NotificationEndpoint } from './wallet/notification.endpoint';
import { NotifyIssuerHandler } from './wallet/notification.handlers';
import { SearchesController } from './management/searches.controller';
import { StatisticsController } from './management/statistics.controller';
import { ProofVerifier } from './wallet/proof-verifier';
import { PublishedKeysEndpoint } from './metadata/published-keys.endpoint';
import { FindRevokedHandler } from './wallet/revoked-grants.handlers';
import { FindStandingsHandler } from './management/credential-standings.handlers';
import { FindOutcomesHandler } from './management/offer-outcomes.handlers';
import { CredentialRefusals } from './credential/refusals';
import { WalletAnswers } from './wallet/wallet-answers';

@Module({
  controllers: [
    // Before the controller whose addresses end with any id.
    CredentialBatchController,
    CredentialValiditiesController,
    CredentialsController,
    SearchesController,
    StatisticsController,
    CredentialValidityController,
    CredentialPersonalDataController,
    CredentialApprovalController,
    AuthorizedDataController,
    IssuerMetadataEndpoint,
    PublishedKeysEndpoint,
    CredentialEndpoint,
    DeferredCredentialEndpoint,
    NotificationEndpoint,
  ],
  providers: [
    CredentialTemplates,
    {
      provide: CREDENTIALS,
      inject: [EventStore],
      useFactory: (store: EventStore) => store.repository(credentialAggregate),
    },
    PrepareCredentialHandler,
    CheckCredentialHandler,
    DenyCredentialHandler,
    IssuerSignatures,
    GetCredentialHandler,
    ListCredentialsHandler,
    FindByReferenceHandler,
    FindByReferencesHandler,
    CredentialReferences,
    IssueCredentialsHandler,
    NotifyIssuerHandler,
    ChangeValidityHandler,
    CarryOutRevocationHandler,
    FindStandingsHandler,
    FindRevokedHandler,
    FindOutcomesHandler,
    CredentialRefusals,
    EraseCredentialHandler,
    GrantedCredentials,
    CredentialEncryption,
    AuthorizedCredentials,
    AuthorizedGrants,
    DataWebhook,
    ApproveCredentialHandler,
    SubmitAuthorizedDataHandler,
    CredentialRecords,
    CredentialSigner,
    NonceUses,
    WalletAnswers,
    IssuerDocuments,
    KeyAttestations,
    ProofVerifier,
    WalletTokens,
    DpopProofs,
    WalletAuthentication,
  ],
})
export class IssuanceModule {}
