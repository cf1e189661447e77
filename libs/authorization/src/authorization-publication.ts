import type { Publication } from '@app/event-store';
import { authorizationAggregate, type AuthorizationEvent } from './authorization';

export const authorizationPublication: Publication<AuthorizationEvent> = {
  category: authorizationAggregate.category,
  resources: 'authorizations',
  types: {
    AuthorizationPushed: null,
    PersonIdentified: 'authorization.identified',
    ConsentGiven: 'authorization.consented',
    ConsentRefused: 'authorization.refused',
    CodeIssued: null,
    CodeRedeemed: 'authorization.redeemed',
    TokenRefreshed: null,
    AuthorizationRevoked: 'authorization.revoked',
    WalletRefused: null,
    PersonalDataErased: null,
  },
  data: ({ id, event }) => ({
    authorizationId: id,
    ...(event.type === 'PersonIdentified' && { source: event.source }),
    ...(event.type === 'ConsentRefused' && event.reason !== undefined && { reason: event.reason }),
    ...(event.type === 'ConsentRefused' && event.claims !== undefined && { claims: event.claims }),
    ...(event.type === 'AuthorizationRevoked' && { cause: event.cause }),
  }),
};
