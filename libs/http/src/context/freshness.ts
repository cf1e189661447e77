import { Problem } from '@app/primitives/problems';
import { currentPrincipal } from './request-context';

/** Seconds in which a person has to have proven who they are, before what cannot be undone. */
export const freshFor = 600;

/**
 * Throws `insufficient-user-authentication` where a person calls who has not lately proven who they are (RFC 9470). Keys and tokens
 * pass. An operation for which that is always so says `freshness: true` in its contract.
 */
export function requireFreshness(): void {
  const person = currentPrincipal()?.person;
  if (!person || person.isFresh) return;
  const detail = 'Confirm that it is you by signing in again, then repeat the request.';
  throw new Problem('insufficient-user-authentication', detail, [], {
    'WWW-Authenticate': `Bearer error="insufficient_user_authentication", error_description="${detail}", max_age="${freshFor}"`,
  });
}
