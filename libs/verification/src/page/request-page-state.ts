import type { RequestPageState } from '@app/pages';
import { isAwaited, requestStatus } from '../request/authorization-request';
import type { AuthorizationRequest } from '../request/request-record';

/** What a person sees of a request: its status, and whether it was their wallet that ended the last attempt. */
export function requestPageState(request: AuthorizationRequest, now: Date): RequestPageState {
  if (request.status === 'withheld') return isAwaited(request, now) ? 'withheld' : 'abandoned';
  if (request.status === 'abandoned') return 'abandoned';
  const status = requestStatus(request, now);
  return status === 'rejected' && isDeclined(request) ? 'declined' : status;
}

/** Whether a wallet can still answer in this state. */
export function isAnswerable(state: RequestPageState): boolean {
  switch (state) {
    case 'pending':
    case 'retrieved':
    case 'rejected':
    case 'declined':
      return true;
    case 'withheld':
    case 'verified':
    case 'abandoned':
    case 'expired':
      return false;
  }
}

/** Whether another state can follow. */
export function isLive(state: RequestPageState): boolean {
  return isAnswerable(state) || state === 'withheld';
}

function isDeclined(request: AuthorizationRequest): boolean {
  return 'failure' in request && request.failure.check === 'wallet';
}
