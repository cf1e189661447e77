import type { CredentialFormatId } from '@app/openid4vc';
import type { Retention } from '@app/templates';

/** The outcome of checking the signature of a credential that was signed elsewhere. */
export type CheckedSignature = 'verified' | 'not-checked';

/** What is known of a credential besides its claims, which are sealed. */
export interface CredentialTerms {
  readonly credentialId: string;
  /** Absent when a wallet has asked for the credential by itself. */
  readonly offerId?: string;
  /** Present exactly when there is no offer. */
  readonly authorizationId?: string;
  readonly configurationId: string;
  readonly templateId?: string;
  readonly format: CredentialFormatId;
  readonly createdAt: string;
  /** RFC 3339; `null` = never expires. */
  readonly expiresAt: string | null;
  /** The portal has said when: copies that a refreshed token gets expire then, too. */
  readonly expiryGiven?: true;
  /** The portal wants to be asked again for the data of what a refreshed token gives. */
  readonly asksAgain?: true;
  /** Of a credential that was signed elsewhere only. */
  readonly signature?: CheckedSignature;
  /** How long the content is kept; absent = until somebody erases it. */
  readonly retention?: Retention;
  /** The end of the content unless the credential is issued before. */
  readonly eraseAt?: string;
  /** The claims and the caller's `id`, sealed under this credential's own data key. */
  readonly sealedContent: string;
}

/** What is known of a credential that a wallet waits for. */
export interface RequestedTerms extends Pick<
  CredentialTerms,
  'credentialId' | 'offerId' | 'authorizationId' | 'configurationId' | 'templateId' | 'format' | 'createdAt'
> {
  readonly requestedAt: string;
  /** Data that comes later is rejected: soon after, the wallet can no longer ask for the credential. */
  readonly submittableUntil: string;
  /** With a retention, the request is kept no longer than the data can come. */
  readonly eraseAt?: string;
  /** The request and the keys it proved, sealed under this credential's own data key. */
  readonly sealedRequest: string;
}

/** When and with which keys the wallet has asked, of a credential that was requested before its data was there. */
export type Wait = Pick<RequestedTerms, 'requestedAt' | 'submittableUntil' | 'sealedRequest'>;
