import type { Aggregate, Repository, StateListQuery, StatusRange } from '@app/event-store';
import { isRecordable, type RequestVariant, type WalletRefusal } from '@app/openid4vc';
import { Problem } from '@app/primitives/problems';
import { plusDuration } from '@app/primitives/time';
import { evolveRequest } from './request-fold';
import type { AuthorizationRequest, AuthorizationRequestEvent, Failure } from './request-record';
import type { StoredTerms, VariantTerms } from './request-terms';

const mostRejections = 20;
const mostDeclines = 20;

export const requestStatuses = ['pending', 'retrieved', 'verified', 'rejected', 'expired'] as const;
export type RequestStatus = (typeof requestStatuses)[number];

/** The status as relying parties see it; a request without a valid answer is expired before that is recorded. */
export function requestStatus(request: AuthorizationRequest, now: Date): RequestStatus {
  const isPast = now.getTime() >= Date.parse(request.expiresAt);
  switch (request.status) {
    case 'pending':
    case 'retrieved':
    case 'rejected':
      return isPast ? 'expired' : request.status;
    case 'withheld':
      return isPast ? 'rejected' : 'verified';
    case 'abandoned':
      return 'rejected';
    case 'verified':
    case 'expired':
      return request.status;
  }
}

/** Of requests whose time may have passed without a record; without a valid answer then. */
const unansweredStatuses = ['pending', 'retrieved', 'rejected'];

/** Requests whose expiry is to be recorded, as filter for lists. */
export const requestsToExpire: Pick<StateListQuery, 'statuses' | 'expiry'> = {
  statuses: [...unansweredStatuses, 'withheld'],
  expiry: 'past',
};

/** The filter for lists: which stored requests have this status by the clock of the database. */
export function requestsStoredAs(status: RequestStatus): Pick<StateListQuery, 'statuses' | 'expiry'> {
  switch (status) {
    case 'pending':
    case 'retrieved':
      return { statuses: [status], expiry: 'future' };
    case 'rejected':
      return { statuses: [future(status), 'abandoned', { status: 'withheld', expiry: 'past' }] };
    case 'verified':
      return { statuses: [status, future('withheld')] };
    case 'expired':
      return { statuses: ['expired', ...unansweredStatuses], expiry: 'past' };
  }
}

function future(status: string): StatusRange {
  return { status, expiry: 'future' };
}

export function askForPresentation(
  present: AuthorizationRequest | undefined,
  terms: StoredTerms,
): AuthorizationRequestEvent[] {
  if (present) {
    throw new Problem('state-already-used', 'There is an authorization request with this state already.');
  }
  return [{ type: 'AuthorizationRequested', ...terms, ...erasureAfter(terms, new Date(terms.expiresAt)) }];
}

/** Whether a wallet may still answer: not expired, not erased, not answered by any variant. */
export function isOpen(request: AuthorizationRequest, now: Date): boolean {
  return !isAnswered(request) && request.erasedAt === undefined && requestStatus(request, now) !== 'expired';
}

/** The variant as long as a wallet may answer it. */
export function openVariant<V extends RequestVariant>(
  request: AuthorizationRequest,
  variant: V,
  now: Date,
): VariantTerms<V> | undefined {
  if (!isOpen(request, now)) return undefined;
  return request.variants.find((terms): terms is VariantTerms<V> => terms.variant === variant);
}

/** Whether a wallet has given a valid answer; there is no other one after it. */
function isAnswered({ status }: AuthorizationRequest): boolean {
  return status === 'verified' || status === 'withheld' || status === 'abandoned';
}

/**
 * Wallets fetch a request more than once; only the first time is an event.
 * @param retrievedAt may be earlier than what the stream records since
 */
export function retrieveRequest(
  request: AuthorizationRequest,
  variant: RequestVariant,
  retrievedAt: Date,
): AuthorizationRequestEvent[] {
  if (request.retrievedBy.includes(variant)) return [];
  return [{ type: 'RequestRetrieved', variant, retrievedAt: retrievedAt.toISOString() }];
}

/** An answer to one variant of a request, by the clock of the database. */
export interface VariantAnswer {
  readonly variant: RequestVariant;
  readonly now: Date;
}

/** What an answer leaves; refused when the request was answered or expired while this one was verified. */
export interface Answered {
  readonly events: AuthorizationRequestEvent[];
  readonly refusal?: 'not-open';
}

/**
 * A bad answer leaves its mark and the request open: the person may choose another credential. The number of
 * marks is bounded.
 */
export function rejectPresentation(
  request: AuthorizationRequest,
  { variant, now }: VariantAnswer,
  failure: Failure,
): Answered {
  if (!openVariant(request, variant, now)) return notOpen;
  return { events: request.rejections >= mostRejections ? [] : [{ type: 'PresentationRejected', variant, failure }] };
}

/** Anyone who has seen the link can post a response that cannot be read: it leaves a mark, up to a bound, and the request open. */
export function refuseResponse(
  request: AuthorizationRequest,
  { variant, now }: VariantAnswer,
  refusal: WalletRefusal,
): AuthorizationRequestEvent[] {
  if (!openVariant(request, variant, now) || !isRecordable(request.refusals, refusal)) return [];
  return [{ type: 'ResponseRefused', variant, ...refusal }];
}

/**
 * The error response of a wallet proves nothing about who sent it: anyone who has seen the link can post one. So it leaves
 * a mark, up to a bound, and the request open for the wallet it was meant for.
 */
export function declineRequest(
  request: AuthorizationRequest,
  { variant, now }: VariantAnswer,
  given: { readonly error: string; readonly sealedWords: string },
): Answered {
  if (!openVariant(request, variant, now)) return notOpen;
  return { events: request.declined.length >= mostDeclines ? [] : [{ type: 'WalletDeclined', variant, ...given }] };
}

/** Of two answers that were verified at the same time one is recorded, and the other is refused. */
export function acceptPresentation(
  request: AuthorizationRequest,
  { variant, now }: VariantAnswer,
  result: Pick<
    Extract<AuthorizationRequestEvent, { type: 'PresentationVerified' }>,
    'sealedResult' | 'checks' | 'responseCodeHash' | 'session'
  >,
): Answered {
  if (!openVariant(request, variant, now)) return notOpen;
  const wait = result.responseCodeHash === undefined ? {} : { returnBy: returnAfter(now) };
  return { events: [{ type: 'PresentationVerified', variant, ...result, ...wait, ...erasureAfter(request, now) }] };
}

/** How long an answer waits for the person to come back: minutes, as the failure says. */
const minutesToReturn = 5;

function returnAfter(now: Date): string {
  return new Date(now.getTime() + minutesToReturn * 60_000).toISOString();
}

/** Of an answer for which nobody came back, or not in the browser that began. */
export function notReturned(request: AuthorizationRequest): Failure {
  const who = 'refusedReturns' in request ? 'the person came back in another browser only' : 'nobody came back';
  return { check: 'session', reason: `${who} within ${minutesToReturn} minutes of the answer` };
}

function erasureAfter({ retention }: StoredTerms, end: Date): { eraseAt?: string } {
  return retention === undefined ? {} : { eraseAt: plusDuration(end, retention).toISOString() };
}

/** Records that no valid answer came in time, or nobody back for it. */
export function expireRequest(request: AuthorizationRequest, now: Date): AuthorizationRequestEvent[] {
  const { status, expiresAt } = request;
  if (status === 'withheld') {
    return isAwaited(request, now)
      ? []
      : [{ type: 'PresentationAbandoned', returnBy: expiresAt, failure: notReturned(request) }];
  }
  if (status === 'expired' || requestStatus(request, now) !== 'expired') return [];
  return [{ type: 'RequestExpired', expiresAt }];
}

const notOpen: Answered = { events: [], refusal: 'not-open' };

/** Whether the result waits for the person to come back, who still can. */
export function isAwaited(request: AuthorizationRequest, now: Date): boolean {
  return request.status === 'withheld' && now.getTime() < Date.parse(request.expiresAt);
}

const CATEGORY = 'authorization_request';

/** The stream of a request, to which its data key belongs. */
export function streamOfRequest(requestId: string): string {
  return `${CATEGORY}-${requestId}`;
}

export const authorizationRequestAggregate: Aggregate<AuthorizationRequest, AuthorizationRequestEvent> = {
  category: CATEGORY,
  evolve: evolveRequest,
  // 2: what was presented is kept by its event alone.
  foldVersion: 2,
  stateIndex: 'authorization_requests_by_status',
};

export type PresentationRequests = Repository<AuthorizationRequest, AuthorizationRequestEvent>;

/** Injection token of the authorization requests' repository. */
export const AUTHORIZATION_REQUESTS = Symbol('AUTHORIZATION_REQUESTS');
