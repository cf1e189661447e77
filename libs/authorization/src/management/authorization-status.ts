import type { StateListQuery } from '@app/event-store';
import type { Authorization } from '../authorization';

export const authorizationStatuses = [
  'requested',
  'identified',
  'consented',
  'redeemed',
  'refused',
  'revoked',
  'expired',
] as const;
export type AuthorizationStatus = (typeof authorizationStatuses)[number];

/** The status as portals see it; that a request has expired is recorded nowhere. */
export function authorizationStatus(authorization: Authorization, now: Date): AuthorizationStatus {
  const isPast = now.getTime() >= Date.parse(authorization.completableUntil);
  switch (authorization.status) {
    case 'pushed':
      return isPast ? 'expired' : 'requested';
    case 'identified':
      return isPast ? 'expired' : 'identified';
    case 'consented':
    case 'code-issued':
      return 'consented';
    case 'redeemed':
    case 'refused':
    case 'revoked':
      return authorization.status;
  }
}

/** The filter for lists: which stored authorizations have this status by the clock of the database. */
export function authorizationsStoredAs(status: AuthorizationStatus): Pick<StateListQuery, 'statuses' | 'expiry'> {
  switch (status) {
    case 'requested':
      return { statuses: ['pushed'], expiry: 'future' };
    case 'identified':
      return { statuses: ['identified'], expiry: 'future' };
    case 'expired':
      return { statuses: ['pushed', 'identified'], expiry: 'past' };
    case 'consented':
      return { statuses: ['code-issued'] };
    case 'redeemed':
    case 'refused':
    case 'revoked':
      return { statuses: [status] };
  }
}
