import { counterOf, type EventTable, publicationOf, refusedWallet } from '@app/http';
import { authorizationRequestAggregate } from './authorization-request';
import type { AuthorizationRequestEvent } from './request-record';
import { variantNames } from './variant-names';

/**
 * What portals, metrics and others learn of the events of an authorization request, without anything that was presented. To
 * others the check that failed is named, not what it found: that may be what a wallet has worded.
 */
export const requestEvents: EventTable<AuthorizationRequestEvent> = {
  AuthorizationRequested: {
    step: 'requested',
    detail: ({ variants }) => variants.map(({ variant }) => variantNames[variant]),
    counted: 'requested',
    published: null,
  },
  RequestRetrieved: {
    step: 'retrieved',
    detail: ({ variant }) => variantNames[variant],
    at: ({ retrievedAt }) => retrievedAt,
    counted: 'retrieved',
    published: null,
  },
  ResponseRefused: {
    ...refusedWallet,
    refusal: ({ variant: _variant, ...refused }) => refusedWallet.refusal(refused),
    counted: 'rejected',
    published: 'presentation.rejected',
    data: () => ({ status: 'rejected', check: 'response' }),
  },
  PresentationVerified: {
    step: 'presented',
    outcome: 'verified',
    detail: ({ variant, checks }) => ({ via: variantNames[variant], checks }),
    counted: 'verified',
    published: 'presentation.verified',
    data: ({ responseCodeHash }) => ({ status: 'verified', ...(responseCodeHash !== undefined && { withheld: true }) }),
  },
  PresentationRejected: {
    step: 'presented',
    outcome: 'rejected',
    detail: ({ failure }) => failure,
    counted: 'rejected',
    published: 'presentation.rejected',
    data: ({ failure: { check } }) => ({ status: 'rejected', check }),
  },
  WalletDeclined: {
    step: 'declined',
    outcome: 'rejected',
    detail: ({ error, description }) => ({ error, ...(description && { description }) }),
    counted: 'rejected',
    published: 'presentation.rejected',
    data: () => ({ status: 'rejected', check: 'wallet' }),
  },
  RequestExpired: {
    step: 'expired',
    at: ({ expiresAt }) => expiresAt,
    counted: 'expired',
    published: 'presentation.expired',
    data: () => ({ status: 'expired' }),
  },
  ResponseCodeRedeemed: {
    step: 'response code redeemed',
    counted: null,
    published: 'presentation.released',
    data: () => ({ status: 'verified' }),
  },
  ReturnRefused: {
    step: 'return refused',
    outcome: 'refused',
    detail: 'in another browser than the one that began',
    counted: null,
    published: null,
  },
  PresentationAbandoned: {
    step: 'abandoned',
    outcome: 'rejected',
    detail: ({ failure }) => failure,
    at: ({ returnBy }) => returnBy,
    counted: 'rejected',
    published: 'presentation.rejected',
    data: ({ failure: { check } }) => ({ status: 'rejected', check }),
  },
  PersonalDataErased: {
    step: 'personal data erased',
    detail: ({ cause }) => cause,
    counted: 'erased',
    published: null,
  },
};

const { category } = authorizationRequestAggregate;

export const presentationCounter = counterOf(requestEvents, {
  category,
  name: 'presentations_total',
  help: 'Events of authorization requests',
});

export const presentationPublication = publicationOf(
  requestEvents,
  { category, resources: 'authorization_requests' },
  ({ id }) => ({ state: id }),
);
