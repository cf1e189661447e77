import { isRecordable, type RecordedRefusals, type WalletRefusal, withRefusal } from '@app/openid4vc';
import type { Denial } from './denial';

/**
 * What is recorded for the people who follow an offer. Only the first fetch has an effect: from then on the options cannot
 * be changed. Members are absent until there is something to record, and bounded, because wallets may retry indefinitely.
 */
export interface OfferMarks {
  readonly isFetched?: true;
  readonly isFetchedWithoutData?: true;
  readonly sendings?: number;
  readonly denials?: readonly Denial[];
  readonly refusals?: RecordedRefusals;
}

/** One attempt to send the offer to a waiting wallet. */
export interface Sending {
  /** Scheme and host alone: path and query may name a person. */
  readonly to: string;
  /** Absent when the wallet accepted it. */
  readonly failure?: string | undefined;
}

export type OfferMark =
  | { readonly type: 'OfferFetched'; readonly fetchedAt: string }
  | { readonly type: 'OfferFetchedWithoutData' }
  | { readonly type: 'OfferSent'; readonly to: string }
  | { readonly type: 'SendingFailed'; readonly to: string; readonly reason: string }
  | ({ readonly type: 'CredentialRequestDenied' } & Denial)
  | ({ readonly type: 'WalletRefused' } & WalletRefusal);

/** A portal that sends an offer again and again leaves no more marks than these. */
const mostSendings = 20;

/**
 * Wallets fetch an offer more than once, a public one is fetched by many: only the first time is an event.
 * @param fetchedAt may be earlier than what the stream records since
 */
export function fetchOffer(marks: OfferMarks, fetchedAt: Date): OfferMark[] {
  return marks.isFetched ? [] : [{ type: 'OfferFetched', fetchedAt: fetchedAt.toISOString() }];
}

/** A wallet fetched the offer before its data was submitted. */
export function fetchWithoutData(marks: OfferMarks): OfferMark[] {
  return marks.isFetchedWithoutData ? [] : [{ type: 'OfferFetchedWithoutData' }];
}

export function sendOffer(marks: OfferMarks, { to, failure }: Sending): OfferMark[] {
  if ((marks.sendings ?? 0) >= mostSendings) return [];
  return [failure === undefined ? { type: 'OfferSent', to } : { type: 'SendingFailed', to, reason: failure }];
}

/** A denial with a known reason is not recorded again. */
export function denyCredentials(marks: OfferMarks, denials: readonly Denial[]): OfferMark[] {
  const isKnown = (one: Denial, among: readonly Denial[] = []): boolean =>
    among.some(({ configurationId, reason }) => configurationId === one.configurationId && reason === one.reason);
  return denials
    .filter((one, index) => !isKnown(one, marks.denials) && !isKnown(one, denials.slice(0, index)))
    .map(({ configurationId, reason }) => ({ type: 'CredentialRequestDenied', configurationId, reason }));
}

export function refuseWalletOfOffer({ refusals }: OfferMarks, refusal: WalletRefusal): OfferMark[] {
  return isRecordable(refusals, refusal) ? [{ type: 'WalletRefused', ...refusal }] : [];
}

/** Those denials of a claim that apply to every claim of its public offer. @param isConstant whether all claims say the same */
export function sharedDenials(denials: readonly Denial[], isConstant: boolean): Denial[] {
  return denials.filter(({ reason }) => {
    switch (reason) {
      case 'template-archived':
      case 'template-deleted':
      case 'configuration-removed':
      case 'newer-version':
      case 'schema-unusable':
        return true;
      case 'claims-open':
        return isConstant;
      case 'credential-missing':
      case 'credential-expired':
      case 'credential-erased':
      case 'credential-other-holder':
      case 'credential-other-keys':
      case 'credential-finished':
      case 'credential-not-valid':
      case 'credential-too-many-copies':
      case 'credential-overdue':
      case 'credential-denied':
        return false;
    }
  });
}

/** The members that one more mark changes. */
export function withMark(marks: OfferMarks, mark: OfferMark): OfferMarks {
  switch (mark.type) {
    case 'WalletRefused':
      return { refusals: withRefusal(marks.refusals, mark) };
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
