import { OAuthError } from '@app/openid4vc';

/** RFC 6749 §5.2: what belongs to a client is given to a client that names itself. */
export function refusedWithoutClient(): OAuthError {
  return new OAuthError('invalid_client', 'The client is not named: authenticate, or send client_id.', {
    reason: 'client-missing',
  });
}
