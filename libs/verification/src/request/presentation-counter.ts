import type { EventCounter } from '@app/observability';
import { authorizationRequestAggregate } from './authorization-request';
import type { AuthorizationRequestEvent } from './request-record';

const outcomes = ['requested', 'retrieved', 'verified', 'rejected', 'expired', 'erased'] as const;

/** `null`: counts as nothing. */
const outcomeOf: Readonly<Record<AuthorizationRequestEvent['type'], (typeof outcomes)[number] | null>> = {
  AuthorizationRequested: 'requested',
  RequestRetrieved: 'retrieved',
  PresentationVerified: 'verified',
  PresentationRejected: 'rejected',
  WalletDeclined: 'rejected',
  ResponseRefused: 'rejected',
  ReturnRefused: null,
  PresentationAbandoned: 'rejected',
  RequestExpired: 'expired',
  ResponseCodeRedeemed: null,
  PersonalDataErased: 'erased',
};

export const presentationCounter: EventCounter = {
  category: authorizationRequestAggregate.category,
  name: 'presentations_total',
  help: 'Events of authorization requests',
  series: outcomes.map((outcome) => ({ outcome })),
  seriesOf: (eventType) => {
    const outcome = outcomeOf[eventType as AuthorizationRequestEvent['type']];
    return outcome === null ? undefined : { outcome };
  },
};
