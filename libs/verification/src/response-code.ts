import { Problem } from '@app/problem-details';
import { type AuthorizationRequest, type AuthorizationRequestEvent, isAwaited } from './authorization-request';

/** What comes back after the answer of a wallet. */
export interface ShownCode {
  readonly codeHash: string;
  /** Of the browser; a portal that sends the code itself has none. */
  readonly session?: string | undefined;
}

/**
 * The browser of the same device brings the response code back, once and in time. Until then the result is not shown
 * (OpenID4VP 1.0 §13.3: session fixation). Throws `invalid-response-code`.
 */
export function redeemResponseCode(
  request: AuthorizationRequest,
  shown: ShownCode,
  now: Date,
): AuthorizationRequestEvent[] {
  if (request.status === 'abandoned' || (request.status === 'withheld' && !isAwaited(request, now))) {
    throw new Problem(
      'invalid-response-code',
      'The response code has expired: ask the person to answer a new request.',
    );
  }
  if (!isWaitedFor(request, shown)) {
    throw new Problem('invalid-response-code', 'The response code is unknown or was used before.');
  }
  return [{ type: 'ResponseCodeRedeemed' }];
}

function isWaitedFor(request: AuthorizationRequest, { codeHash, session }: ShownCode): boolean {
  if (request.status !== 'withheld' && request.status !== 'verified') return false;
  const asked = request.status === 'withheld' ? request.session : undefined;
  return request.responseCodeHash === codeHash && asked === session && !isReleased(request);
}

/** Whether the relying party may see what was presented. */
export function isReleased(request: AuthorizationRequest): boolean {
  return request.status === 'verified' && (request.responseCodeHash === undefined || request.responseCodeRedeemed);
}
