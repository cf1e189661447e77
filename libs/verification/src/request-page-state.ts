import type { RequestPageState } from '@app/pages';
import { type AuthorizationRequest, publicStatus } from './authorization-request';

/** What a person sees of a request: its status, and whether it was their wallet that ended the last attempt. */
export function requestPageState(request: AuthorizationRequest, now: Date): RequestPageState {
  const status = publicStatus(request, now);
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
    case 'verified':
    case 'expired':
      return false;
  }
}

function isDeclined(request: AuthorizationRequest): boolean {
  return 'failure' in request && request.failure.check === 'wallet';
}
