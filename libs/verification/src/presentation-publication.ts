import type { Publication } from '@app/event-store';
import {
  authorizationRequestAggregate,
  type AuthorizationRequestEvent,
  type PublicStatus,
} from './authorization-request';

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
    RequestExpired: 'presentation.expired',
    ResponseCodeRedeemed: null,
    PersonalDataErased: null,
  },
  data: ({ id, event }) => ({ state: id, ...outcomeOf(event) }),
  time: (event) => (event.type === 'RequestExpired' ? event.expiresAt : undefined),
};

/** The check that failed is named, not what it found: that may be what a wallet has worded. */
function outcomeOf(event: AuthorizationRequestEvent): { status?: PublicStatus; check?: string } {
  if (event.type === 'PresentationRejected') return { status: 'rejected', check: event.failure.check };
  if (event.type === 'WalletDeclined') return { status: 'rejected', check: 'wallet' };
  if (event.type === 'ResponseRefused') return { status: 'rejected', check: 'response' };
  if (event.type === 'RequestExpired') return { status: 'expired' };
  return event.type === 'PresentationVerified' ? { status: 'verified' } : {};
}
