import { OAuthError } from '@app/openid4vc';

/** The refusal of an address that has reached a limit. @param what there was too much of */
export function tooManyRequests(
  what: string,
  seconds: number,
  reason: 'too-many-wrong-codes' | 'too-many-requests',
): OAuthError {
  const description = `Too many ${what} from this address: try again in ${seconds} s.`;
  return new OAuthError('temporarily_unavailable', description, {
    status: 429,
    reason,
    headers: { 'Retry-After': String(seconds) },
  });
}
