import { AlreadyConsumedError, ConflictError } from '@app/event-store';
import { OAuthError, Quoting } from '@app/openid4vc';
import { problemOf } from './translate';

/** The OAuth error that an exception means to a wallet; `undefined` for an unforeseen one. */
export function walletErrorOf(exception: unknown): OAuthError | undefined {
  if (exception instanceof OAuthError) return exception;
  if (exception instanceof ConflictError || exception instanceof AlreadyConsumedError) {
    return new OAuthError('invalid_request', 'the same resource was requested more than once at the same time', {
      reason: 'simultaneous-requests',
    });
  }
  const problem = problemOf(exception);
  if (!problem) return undefined;
  const { slug, status, title, detail, headers } = problem;
  if (status === 503) {
    const description =
      slug === 'outcome-unknown'
        ? 'it is not known whether the request was carried out: send the same request again in a few seconds'
        : 'try again in a few seconds';
    return new OAuthError('temporarily_unavailable', description, { status, headers });
  }
  if (status >= 500) return undefined;
  return new OAuthError('invalid_request', new Quoting(detail, title), { status, headers, reason: 'other' });
}
