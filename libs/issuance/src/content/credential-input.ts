import type { Recipient } from '@app/offers';

/** A credential to be signed here: `credentialSubject`, an `id`, and what the data model of the configuration allows besides. */
export type UnsignedCredential = Readonly<Record<string, unknown>>;

/** Absent: the limit of the template. What is no date is rejected after the content, in the order of the checks. */
export type RequestedExpiry = Date | 'never' | 'not-a-date' | undefined;

/** A template, a configuration, or both, which then have to be the same. */
export type NamedConfiguration =
  | { readonly templateId: string; readonly configurationId?: string | undefined }
  | { readonly templateId?: undefined; readonly configurationId: string };

/** A configuration as it is known here: by its template where it has one, so that an error tells what became of that. */
export function namedBy(configurationId: string, templateId: string | undefined): NamedConfiguration {
  return templateId === undefined ? { configurationId } : { templateId };
}

/** The credential of an offer, whose id is chosen here when absent, or of an authorization, whose id is known before. */
export type CredentialPlace =
  | { readonly offerId: string; readonly credentialId?: string | undefined; readonly recipient?: Recipient }
  | { readonly offerId?: undefined; readonly authorizationId: string; readonly credentialId: string };

/** A person's data for one credential. */
export interface CredentialInput {
  readonly place: CredentialPlace;
  readonly named: NamedConfiguration;
  /** A text was signed elsewhere. */
  readonly credential: UnsignedCredential | string;
  /** There is no place for more than the subject where it comes from: an Open Badge gets its id here. */
  readonly isSubjectAlone?: true;
  readonly expiresAt?: RequestedExpiry;
  /** By which the portal finds it again. */
  readonly reference?: string | undefined;
  /** The data was not submitted by the portal, and somebody has to approve it. */
  readonly needsApproval?: boolean;
  /** As in `CredentialTerms`. */
  readonly asksAgain?: true;
}
