import type { JsonObject } from '../json';

/** What the management API answers, as far as the console shows it. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

export interface Template extends Configured {
  readonly templateId: string;
  readonly status: 'Draft' | 'Published' | 'Archived' | 'Deleted';
  readonly version: number;
  readonly title: string;
  readonly description?: string;
  readonly tags: readonly string[];
}

interface Configured {
  readonly format: 'jwt_vc_json' | 'dc+sd-jwt';
  readonly dataModel: string;
  readonly type?: readonly string[];
  readonly vct?: string;
  readonly schema?: JsonObject;
  readonly expiration: string;
  readonly signingAlgorithm: string;
  readonly revocable?: boolean;
  readonly selectivelyDisclosable?: readonly string[];
}

export interface Configuration extends Configured {
  readonly id: string;
  readonly origin: 'provisioned' | 'template';
  readonly templateId?: string;
}

export interface TimelineEntry {
  readonly at: string;
  readonly step: string;
  readonly outcome: string;
  readonly detail: unknown;
  /** Of a wallet that was refused. */
  readonly refusal?: WalletRefusal;
}

export interface WalletRefusal {
  readonly endpoint: string;
  readonly error: string;
  readonly reason: string;
  readonly generation?: string;
  readonly requestClass?: string;
  readonly configurationId?: string;
  readonly count: number;
  readonly lastAt: string;
}

export interface AuthorizationSummary {
  readonly authorizationId: string;
  readonly status: string;
  readonly clientId: string;
  readonly clientName?: string;
  readonly offerId?: string;
  readonly credentialConfigurationIds: readonly string[];
  readonly createdAt: string;
  readonly redeemedAt?: string;
}

export interface Authorization extends AuthorizationSummary {
  readonly timeline: readonly TimelineEntry[];
}

export interface OfferSummary {
  readonly offerId: string;
  readonly state: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly credentials: readonly {
    readonly configurationId: string;
    readonly credentialId?: string;
    readonly awaitsData?: true;
  }[];
}

export interface Offer extends OfferSummary {
  readonly txCodeRequired: boolean;
  readonly wrongTxCodes: number;
  readonly public?: true;
  /** Of a public offer: how often it was accepted. */
  readonly claims?: number;
  readonly deferred?: true;
  readonly credentialOffer?: string;
  readonly links?: { readonly page: string };
  readonly timeline: readonly TimelineEntry[];
}

export interface Credential {
  readonly credentialId: string;
  /** Absent when a wallet has asked for it by itself. */
  readonly offerId?: string;
  readonly credentialConfigurationId: string;
  readonly status: string;
  readonly approval?: 'awaited' | 'given';
  readonly validity?: 'Valid' | 'Suspended' | 'Revoked';
  readonly createdAt: string;
  readonly issuedAt?: string;
  readonly expiresAt?: string;
}

export interface RequestSummary {
  readonly state: string;
  readonly status: string;
  readonly responseType: string;
  readonly responseMode: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

/** The link for each generation of wallets, and why there is none for the others. */
export type Variants = Readonly<Record<string, unknown>> & { readonly unavailable: Readonly<Record<string, string>> };

export interface CreatedRequest {
  readonly state: string;
  readonly variants?: Variants;
  readonly links?: { readonly page: string };
  readonly warnings?: readonly string[];
}

export interface PresentationRequest extends RequestSummary {
  /** Why the result is not shown yet. */
  readonly withheld: string | null;
  readonly vp_token: unknown;
  readonly id_token: string | null;
  readonly subject: string | null;
  readonly credentials: readonly PresentedCredential[];
  readonly transactionData: readonly { readonly type: string; readonly confirmedBy: string }[];
  readonly failure: { readonly check: string; readonly reason: string; readonly credentialId?: string } | null;
  readonly timeline: readonly TimelineEntry[];
}

export interface PresentedCredential {
  readonly id: string;
  readonly format: string;
  readonly issuer: string;
  readonly type: readonly string[];
  readonly acceptedAs?: { readonly type: string; readonly by: string };
  readonly claims: JsonObject;
  readonly holder: { readonly thumbprint: string; readonly did?: string } | null;
  readonly status: string;
  readonly trust: string;
  readonly trustAnchor?: { readonly name: string; readonly subject: string; readonly fingerprint: string };
  readonly issuedAt?: string;
  readonly expiresAt?: string;
}
