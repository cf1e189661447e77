import type { Publication } from '@app/event-store';
import { authorizationRequestAggregate, type RequestStatus } from './authorization-request';
import type { AuthorizationRequestEvent } from './request-record';

export const presentationPublication: Publication<AuthorizationRequestEvent> = {
  category: authorizationRequestAggregate.category,
  resources: 'authorization_requests',
  types: {
    AuthorizationRequested: null,
    RequestRetrieved: null,
    PresentationRejected: 'presentation.rejected',
    WalletDeclined: 'presentation.rejected',
    ResponseRefused: 'presentation.rejected',
    PresentationVerified: 'presentation.verified',
    ReturnRefused: null,
    PresentationAbandoned: 'presentation.rejected',
    RequestExpired: 'presentation.expired',
    ResponseCodeRedeemed: 'presentation.released',
    PersonalDataErased: null,
  },
  data: ({ id, event }) => ({ state: id, ...outcomeOf(event) }),
  time: timeOf,
};

/** Of what happened by itself, before it was recorded. */
function timeOf(event: AuthorizationRequestEvent): string | undefined {
  if (event.type === 'PresentationAbandoned') return event.returnBy;
  return event.type === 'RequestExpired' ? event.expiresAt : undefined;
}

/** The check that failed is named, not what it found: that may be what a wallet has worded. */
function outcomeOf(event: AuthorizationRequestEvent): {
  status?: RequestStatus;
  check?: string;
  withheld?: boolean;
} {
  if (event.type === 'PresentationRejected') return { status: 'rejected', check: event.failure.check };
  if (event.type === 'WalletDeclined') return { status: 'rejected', check: 'wallet' };
  if (event.type === 'ResponseRefused') return { status: 'rejected', check: 'response' };
  if (event.type === 'RequestExpired') return { status: 'expired' };
  if (event.type === 'PresentationAbandoned') return { status: 'rejected', check: event.failure.check };
  if (event.type === 'ResponseCodeRedeemed') return { status: 'verified' };
  if (event.type !== 'PresentationVerified') return {};
  return { status: 'verified', ...(event.responseCodeHash !== undefined && { withheld: true }) };
}
