import type { components } from '../../../../examples/portal/management-api';

/** What the management API answers, as docs/openapi.json describes it. */
type Schemas = components['schemas'];

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

export type Approval = Schemas['Approval'];
export type Template = Schemas['Template'];
export type Configuration = Schemas['CredentialConfiguration'];
export type RegistrationCertificate = Schemas['RegistrationCertificate'];
export type AuthorizationSummary = Schemas['ListedAuthorization'];
export type Authorization = Schemas['Authorization'];
export type OfferSummary = Schemas['ListedOffer'];
export type Offer = Schemas['Offer'];
export type OfferDelivery = Schemas['OfferDelivery'];
/** Whom an offer is handed over to. */
export interface Recipient {
  readonly email?: string;
  readonly name?: string;
  readonly locale?: string;
}
export type OpenedOffer = Schemas['OpenedOffer'];
export type Credential = Schemas['Credential'];
export type CredentialWithContent = Schemas['CredentialWithContent'];
export type ApiKey = Schemas['ApiKey'];
export type CreatedApiKey = Schemas['CreatedApiKey'];
export type Standing = Schemas['Standing'];
export type AuditEntry = Schemas['AuditEntry'];
export type Webhook = Schemas['Webhook'];
export type WebhookWithSecret = Schemas['WebhookWithSecret'];
export type WebhookTest = Schemas['WebhookTest'];
export type EventType = NonNullable<Schemas['CreateWebhookBody']['types']>[number];
export type Delivery = Schemas['Delivery'];
export type StatusChangeResult = Schemas['StatusChangeResult'];
export type Tenant = Schemas['Tenant'];
export type TenantWithKey = Schemas['TenantWithKey'];
export type TenantUsage = Schemas['TenantUsage'];
export type WeekOfCredentials = Schemas['WeekOfCredentials'];
export type ImportSummary = Schemas['ListedImport'];
export type Import = Schemas['Import'];
export type ImportMapping = Schemas['ImportMapping'];
export type ImportRow = Schemas['ImportRow'];
export type RequestSummary = Schemas['AuthorizationRequestSummary'];
export type CreatedRequest = Schemas['AskedRequest'];
export type PresentationRequest = Schemas['AuthorizationRequest'];
export type PresentedCredential = Schemas['PresentedCredential'];
export type WalletRefusal = Schemas['WalletRefusal'];
export type Image = Schemas['Image'];
export type TimelineEntry = (Offer | CredentialWithContent | Authorization | PresentationRequest)['timeline'][number];
