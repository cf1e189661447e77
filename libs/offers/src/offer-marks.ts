/** Why a wallet that has redeemed an offer was denied a credential of it. */
export type DenialReason =
  | 'template-archived'
  | 'template-deleted'
  | 'configuration-removed'
  | 'newer-version'
  | 'claims-open'
  | 'credential-missing'
  | 'credential-expired'
  | 'credential-erased'
  | 'credential-finished';

export interface Denial {
  readonly configurationId: string;
  readonly reason: DenialReason;
}

/**
 * What is kept of an offer for the people who look at it, and decides nothing. Absent until there is something. Wallets
 * may repeat themselves for ever, so each kind of mark has a bound.
 */
export interface OfferMarks {
  readonly denials?: readonly Denial[];
}

export type OfferMark = { readonly type: 'CredentialRequestDenied' } & Denial;

/** A denial for a reason that is known already is no news. */
export function denyCredentials(marks: OfferMarks, denials: readonly Denial[]): OfferMark[] {
  const isKnown = (one: Denial, among: readonly Denial[] = []): boolean =>
    among.some(({ configurationId, reason }) => configurationId === one.configurationId && reason === one.reason);
  return denials
    .filter((one, index) => !isKnown(one, marks.denials) && !isKnown(one, denials.slice(0, index)))
    .map(({ configurationId, reason }) => ({ type: 'CredentialRequestDenied', configurationId, reason }));
}

/** Those of a claim that every other claim of its public offer meets as well. */
export function sharedDenials(denials: readonly Denial[]): Denial[] {
  return denials.filter(({ reason }) => {
    switch (reason) {
      case 'template-archived':
      case 'template-deleted':
      case 'configuration-removed':
      case 'newer-version':
      case 'claims-open':
        return true;
      case 'credential-missing':
      case 'credential-expired':
      case 'credential-erased':
      case 'credential-finished':
        return false;
    }
  });
}

/** The marks after one more. */
export function withMark(marks: OfferMarks, { configurationId, reason }: OfferMark): OfferMarks {
  return { denials: [...(marks.denials ?? []), { configurationId, reason }] };
}
