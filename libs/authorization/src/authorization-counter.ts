import type { EventCounter } from '@app/observability';
import { authorizationAggregate, type AuthorizationEvent } from './authorization';

const outcomes = ['pushed', 'identified', 'consented', 'refused', 'redeemed', 'refreshed', 'revoked'] as const;

/** `null`: counts as nothing. */
const outcomeOf: Readonly<Record<AuthorizationEvent['type'], (typeof outcomes)[number] | null>> = {
  AuthorizationPushed: 'pushed',
  PersonIdentified: 'identified',
  ConsentGiven: 'consented',
  ConsentRefused: 'refused',
  CodeIssued: null,
  CodeRedeemed: 'redeemed',
  TokenRefreshed: 'refreshed',
  AuthorizationRevoked: 'revoked',
  WalletRefused: null,
  PersonalDataErased: null,
};

export const authorizationCounter: EventCounter = {
  category: authorizationAggregate.category,
  name: 'authorizations_total',
  help: 'Events of authorizations by code',
  series: outcomes.map((outcome) => ({ outcome })),
  seriesOf: (eventType) => {
    const outcome = outcomeOf[eventType as AuthorizationEvent['type']];
    return outcome === null ? undefined : { outcome };
  },
};
