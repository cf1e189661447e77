import type { Denial } from '@app/grants';

/**
 * What is kept of an offer for the people who look at it; of all of it only the first fetch decides something: from then
 * on the options stay. Absent until there is something. Wallets may repeat themselves for ever, so each kind of mark has
 * a bound.
 */
export interface OfferMarks {
  readonly isFetched?: true;
  readonly isFetchedWithoutData?: true;
  readonly sendings?: number;
  readonly denials?: readonly Denial[];
}

/** One attempt to bring the offer to a waiting wallet. */
export interface Sending {
  /** Scheme and host alone: path and query may name a person. */
  readonly to: string;
  /** Absent when the wallet has taken it. */
  readonly failure?: string | undefined;
}

export type OfferMark =
  | { readonly type: 'OfferFetched' }
  | { readonly type: 'OfferFetchedWithoutData' }
  | { readonly type: 'OfferSent'; readonly to: string }
  | { readonly type: 'SendingFailed'; readonly to: string; readonly reason: string }
  | ({ readonly type: 'CredentialRequestDenied' } & Denial);

/** A portal that sends an offer again and again leaves no more marks than these. */
const mostSendings = 20;

/** Wallets fetch an offer more than once, a public one is fetched by many: the first time is worth an event. */
export function fetchOffer(marks: OfferMarks): OfferMark[] {
  return marks.isFetched ? [] : [{ type: 'OfferFetched' }];
}

/** A wallet came before the data did. */
export function fetchWithoutData(marks: OfferMarks): OfferMark[] {
  return marks.isFetchedWithoutData ? [] : [{ type: 'OfferFetchedWithoutData' }];
}

export function sendOffer(marks: OfferMarks, { to, failure }: Sending): OfferMark[] {
  if ((marks.sendings ?? 0) >= mostSendings) return [];
  return [failure === undefined ? { type: 'OfferSent', to } : { type: 'SendingFailed', to, reason: failure }];
}

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
      case 'schema-unusable':
      case 'claims-open':
        return true;
      case 'credential-missing':
      case 'credential-expired':
      case 'credential-erased':
      case 'credential-other-holder':
      case 'credential-other-keys':
      case 'credential-finished':
        return false;
    }
  });
}

/** The marks that change with one more. */
export function withMark(marks: OfferMarks, mark: OfferMark): OfferMarks {
  switch (mark.type) {
    case 'OfferFetched':
      return { isFetched: true };
    case 'OfferFetchedWithoutData':
      return { isFetchedWithoutData: true };
    case 'OfferSent':
    case 'SendingFailed':
      return { sendings: (marks.sendings ?? 0) + 1 };
    case 'CredentialRequestDenied': {
      const { configurationId, reason } = mark;
      return { denials: [...(marks.denials ?? []), { configurationId, reason }] };
    }
  }
}
