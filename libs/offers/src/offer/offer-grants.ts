import type { Identification } from '@app/templates';

/** By which grants wallets come to the token of an offer. */
export const offerGrants = ['authorization_code', 'pre-authorized_code'] as const;
export type OfferGrant = (typeof offerGrants)[number];

/** The authorization code grant of an offer. */
export interface ByAuthorization {
  /** How it becomes known who accepts the offer. */
  readonly identification: Identification;
  /** Whom the offer is for, under its data key. */
  readonly sealedSubject?: string;
  /** What the templates say about their data holds, unless the portal submits some: it comes once the person is known. */
  readonly needsNoData?: true;
  /** The offer has a pre-authorized code, too. */
  readonly orPreAuthorized?: true;
}

/** The one person who can accept an offer, by a claim that the identification proves. */
export interface ExpectedSubject {
  /** A name, or a JSON Pointer. */
  readonly claim: string;
  readonly value: string;
}

/** What a portal asks for about the authorization code grant. */
export interface AskedAuthorization extends Omit<ByAuthorization, 'sealedSubject'> {
  readonly expectedSubject?: ExpectedSubject;
}

interface Granting {
  readonly byAuthorization?: ByAuthorization;
}

export function grantsOf({ byAuthorization }: Granting): readonly OfferGrant[] {
  if (!byAuthorization) return ['pre-authorized_code'];
  return byAuthorization.orPreAuthorized ? offerGrants : ['authorization_code'];
}

export function hasGrant(offer: Granting, grant: OfferGrant): boolean {
  return grantsOf(offer).includes(grant);
}
