import { DpopProofs, WalletAuthentication, WalletTokens } from '@app/authorization';
import { ApproveCredentialHandler } from './approval.handlers';
import { AuthorizedCredentials } from './authorized-credentials';
import { AuthorizedGrants } from './authorized-grants';
import { AuthorizedDataController } from './authorized-data.controller';
import { SubmitAuthorizedDataHandler } from './authorized-data.handlers';
import { CredentialApprovalController } from './credential-approval.controller';
import { DataWebhook } from './data-webhook';
import { EventStore } from '@app/event-store';
import { Module } from '@nestjs/common';
import { EraseCredentialHandler } from './credential-erasure.handlers';
import { CredentialPersonalDataController } from './personal-data.controller';
import { CredentialEncryption } from './credential-encryption';
import { CredentialEndpoint } from './credential.endpoint';
import { CredentialRecords } from './credential-records';
import { CredentialSigner } from './credential-signer';
import { credentialAggregate, CREDENTIALS } from './credential';
import { CredentialBatchController } from './credential-batch.controller';
import { CredentialValiditiesController, CredentialValidityController } from './credential-validity.controller';
import { ChangeValidityHandler } from './credential-validity.handlers';
import { CredentialsController } from './credentials.controller';
import { DeferredCredentialEndpoint } from './deferred-credential.endpoint';
import { DenyCredentialHandler } from './denial.handlers';
import { ListCredentialsHandler } from './credential-lists.handlers';
import { GetCredentialHandler, PrepareCredentialHandler } from './credentials.handlers';
import { GrantedCredentials } from './granted-credentials';
import { IssueCredentialsHandler } from './issue.handlers';
import { CheckIssuerSignatureHandler } from './issuer-signature.handlers';
import { IssuerDocuments } from './issuer-documents';
import { IssuerMetadataEndpoint } from './issuer-metadata.endpoint';
import { KeyAttestations } from './key-attestations';
import { NonceUses } from './nonce-uses';
import { NotificationEndpoint } from './notification.endpoint';
import { NotifyIssuerHandler } from './notification.handlers';
import { ProofVerifier } from './proof-verifier';
import { PublishedKeysEndpoint } from './published-keys.endpoint';
import { FindRevokedHandler } from './revoked.handlers';
import { FindStandingsHandler } from './standings.handlers';
import { FindOutcomesHandler } from './outcomes.handlers';
import { Refusals } from './refusals';
import { WalletAnswers } from './wallet-answers';

@Module({
  controllers: [
    // Before the controller whose addresses end with any id.
    CredentialBatchController,
    CredentialValiditiesController,
    CredentialsController,
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
    {
      provide: CREDENTIALS,
      inject: [EventStore],
      useFactory: (store: EventStore) => store.repository(credentialAggregate),
    },
    PrepareCredentialHandler,
    DenyCredentialHandler,
    CheckIssuerSignatureHandler,
    GetCredentialHandler,
    ListCredentialsHandler,
    IssueCredentialsHandler,
    NotifyIssuerHandler,
    ChangeValidityHandler,
    FindStandingsHandler,
    FindRevokedHandler,
    FindOutcomesHandler,
    Refusals,
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
