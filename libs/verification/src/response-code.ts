import { Problem } from '@app/problem-details';
import { type AuthorizationRequest, type AuthorizationRequestEvent, isAwaited } from './authorization-request';

/**
 * The browser of the same device brings the response code back, once and in time. Until then the result is not shown
 * (OpenID4VP 1.0 §13.3: session fixation). Throws `invalid-response-code`.
 */
export function redeemResponseCode(
  request: AuthorizationRequest,
  codeHash: string,
  now: Date,
): AuthorizationRequestEvent[] {
  if (request.status === 'abandoned' || (request.status === 'withheld' && !isAwaited(request, now))) {
    throw new Problem(
      'invalid-response-code',
      'The response code has expired: ask the person to answer a new request.',
    );
  }
  if (!isWaitedFor(request, codeHash)) {
    throw new Problem('invalid-response-code', 'The response code is unknown or was used before.');
  }
  return [{ type: 'ResponseCodeRedeemed' }];
}

function isWaitedFor(request: AuthorizationRequest, codeHash: string): boolean {
  if (request.status !== 'withheld' && request.status !== 'verified') return false;
  return request.responseCodeHash === codeHash && !isReleased(request);
}

/** Whether the relying party may see what was presented. */
export function isReleased(request: AuthorizationRequest): boolean {
  return request.status === 'verified' && (request.responseCodeHash === undefined || request.responseCodeRedeemed);
}
