import { Problem } from '@app/primitives/problems';
import { isAwaited } from '../request/authorization-request';
import type { AuthorizationRequest, AuthorizationRequestEvent } from '../request/request-record';

type Withheld = Extract<AuthorizationRequest, { status: 'withheld' }>;

/**
 * The portal sends the response code that its browser has brought back, once and in time. Until then the result is not shown
 * (OpenID4VP 1.0 §13.3: session fixation). Throws `invalid-response-code`.
 */
export function redeemResponseCode(
  request: AuthorizationRequest,
  codeHash: string,
  now: Date,
): AuthorizationRequestEvent[] {
  if (request.returnToPage) {
    throw new Problem(
      'invalid-response-code',
      'The request has returnToPage: its result is released when the person returns to the page of the request, and not by a response code.',
    );
  }
  if (request.isAskedInPage) {
    throw new Problem(
      'invalid-response-code',
      'What was presented identifies the person of an authorization: it is released when they return to the page of that, and not by a response code.',
    );
  }
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

/** What a browser shows in which a wallet returns the person to the page. */
export interface ShownCode {
  readonly codeHash: string;
  /** Of the browser; `undefined` where it has not opened any page. */
  readonly session: string | undefined;
}

const mostRefusals = 3;

/**
 * The same with `returnToPage`: the code counts in the browser whose page had the link. In another one it leaves a mark, since only
 * the wallet that answered knows the code; the person can still take it to the first one.
 */
export function returnToPage(
  request: AuthorizationRequest,
  { codeHash, session }: ShownCode,
  now: Date,
): { readonly events: AuthorizationRequestEvent[]; readonly result: boolean } {
  if (!isTaken(request, codeHash, now)) return { events: [], result: false };
  if (request.session !== undefined && request.session === session) {
    return { events: [{ type: 'ResponseCodeRedeemed' }], result: true };
  }
  const isMarked = (request.refusedReturns ?? 0) < mostRefusals;
  return { events: isMarked ? [{ type: 'ReturnRefused' }] : [], result: false };
}

/** The same where another page of this service asks, which has looked whether this is the browser that began. */
export function comeBackToPage(
  request: AuthorizationRequest,
  codeHash: string,
  now: Date,
): { readonly events: AuthorizationRequestEvent[]; readonly result: boolean } {
  const result = request.isAskedInPage === true && isTaken(request, codeHash, now);
  return { events: result ? [{ type: 'ResponseCodeRedeemed' }] : [], result };
}

/** Whether a page takes the code. */
function isTaken(request: AuthorizationRequest, codeHash: string, now: Date): request is Withheld {
  return isAwaited(request, now) && isWaitedFor(request, codeHash);
}

function isWaitedFor(request: AuthorizationRequest, codeHash: string): boolean {
  return request.status === 'withheld' && request.responseCodeHash === codeHash;
}

/** Whether the relying party may see what was presented. */
export function isReleased(request: AuthorizationRequest): boolean {
  return request.status === 'verified';
}
