import type { AppendedStream } from '@app/event-store';
import { type AnswerListener, isProbe } from '@app/http';
import type { CredentialEvent } from '@app/issuance/src/credential';
import type { AnsweredRequest, CredentialOutcome, Metrics, OfferOutcome, PresentationOutcome } from '@app/metrics';
import type { OfferEvent } from '@app/offers/src/offer';
import type { AuthorizationRequestEvent } from '@app/verification/src/authorization-request';

/** What each event counts as; `null` = as nothing. A new event has to be given its line here. */
const offers: Readonly<Record<OfferEvent['type'], OfferOutcome | null>> = {
  OfferCreated: 'created',
  CredentialAttached: null,
  OfferOptionsSet: null,
  TransactionCodeRefused: 'wrong_transaction_code',
  OfferLocked: 'locked',
  OfferRedeemed: 'redeemed',
  TokenAnswerLost: 'answer_lost',
  TokenAnswerRepeated: 'answer_repeated',
  OfferWithdrawn: 'withdrawn',
  OfferTakenOffline: 'taken_offline',
  OfferTakenOnline: 'taken_online',
  OfferReopened: 'reopened',
  OfferFetched: 'fetched',
  OfferFetchedWithoutData: null,
  OfferSent: 'sent',
  SendingFailed: 'sending_failed',
  CredentialRequestDenied: 'credential_denied',
};

const credentials: Readonly<Record<CredentialEvent['type'], CredentialOutcome | null>> = {
  CredentialPrepared: 'prepared',
  CredentialIssued: 'issued',
  CredentialAccepted: 'accepted',
  CredentialRefused: 'refused',
  CredentialDeleted: 'deleted',
};

const presentations: Readonly<Record<AuthorizationRequestEvent['type'], PresentationOutcome | null>> = {
  AuthorizationRequested: 'requested',
  RequestRetrieved: 'retrieved',
  PresentationVerified: 'verified',
  PresentationRejected: 'rejected',
  WalletDeclined: 'rejected',
  ResponseCodeRedeemed: null,
};

/** Counts what a unit of work has stored; other categories have nothing to count. */
export function countAppended(streams: Iterable<AppendedStream>, metrics: Metrics): void {
  for (const { category, state, events } of streams) {
    for (const { type } of events) {
      if (category === 'offer') {
        const outcome = outcomeIn(offers, type);
        if (outcome && !(outcome === 'created' && isClaim(state))) metrics.offer(outcome);
      } else if (category === 'credential') {
        const outcome = outcomeIn(credentials, type);
        if (outcome) metrics.credential((state as { format: string }).format, outcome);
      } else if (category === 'authorization_request') {
        const outcome = outcomeIn(presentations, type);
        if (outcome) metrics.presentation(outcome);
      }
    }
  }
}

/** Counts requests; whoever probes wants to know about the service, not something of it. */
export function countedBy(metrics: Metrics): AnswerListener {
  return (request) => {
    if (isProbe(request)) return;
    metrics.requestAnswered(request);
    // It leaves no event, and tells all the same whether wallets get along.
    if (isRefusedRedemption(request)) metrics.offer('refused');
  };
}

function isRefusedRedemption({ method, route, status }: AnsweredRequest): boolean {
  return route === '/openid4vci/token' && method === 'POST' && status === 400;
}

function outcomeIn<O>(table: Readonly<Record<string, O | null>>, type: string): O | null {
  return table[type] ?? null;
}

/** The claim of a public offer is made when a wallet takes it up; nobody has created an offer. */
function isClaim(state: unknown): boolean {
  return (state as { claimOf?: string }).claimOf !== undefined;
}
