import { withRefusal } from '@app/openid4vc';
import type { AuthorizationRequest, AuthorizationRequestEvent, Failure } from './request-record';

/** The state of a request after one more event. */
export function evolveRequest(
  request: AuthorizationRequest | undefined,
  event: AuthorizationRequestEvent,
): AuthorizationRequest {
  if (event.type === 'AuthorizationRequested') {
    const { type: _type, ...terms } = event;
    return { ...terms, status: 'pending', retrievedBy: [], declined: [], rejections: 0 };
  }
  if (!request) throw new Error('an event of an authorization request without its beginning');
  switch (event.type) {
    case 'RequestRetrieved': {
      const retrievedBy = [...request.retrievedBy, event.variant];
      return request.status === 'pending'
        ? { ...request, retrievedBy, status: 'retrieved' }
        : { ...request, retrievedBy };
    }
    case 'PresentationRejected':
      return { ...request, status: 'rejected', failure: event.failure, rejections: request.rejections + 1 };
    case 'WalletDeclined':
      return {
        ...request,
        declined: [...request.declined, event.variant],
        status: 'rejected',
        failure: { check: 'wallet', reason: event.error },
      };
    case 'ResponseRefused': {
      const failure = { check: 'response', reason: event.description };
      return { ...request, refusals: withRefusal(request.refusals, event), status: 'rejected', failure };
    }
    case 'PresentationVerified': {
      const { responseCodeHash, returnBy, session, eraseAt } = event;
      const answered = { ...termsAndMarks(request), ...(eraseAt !== undefined && { eraseAt }) };
      if (responseCodeHash !== undefined && returnBy !== undefined) {
        const { expiresAt: answerableUntil } = request;
        const awaited = { responseCodeHash, ...(session !== undefined && { session }) };
        return { ...answered, status: 'withheld', ...awaited, expiresAt: returnBy, answerableUntil };
      }
      return { ...answered, status: 'verified' };
    }
    case 'ReturnRefused':
      return request.status === 'withheld'
        ? { ...request, refusedReturns: (request.refusedReturns ?? 0) + 1 }
        : request;
    case 'PresentationAbandoned': {
      if (request.status !== 'withheld') return request;
      const { answerableUntil, responseCodeHash: _hash, session: _session, refusedReturns: _times, ...kept } = request;
      return { ...kept, status: 'abandoned', expiresAt: answerableUntil, failure: event.failure };
    }
    case 'RequestExpired':
      return { ...request, status: 'expired' };
    case 'ResponseCodeRedeemed':
      return released(request);
    case 'PersonalDataErased':
      return { ...request, erasedAt: event.erasedAt };
  }
}

function released(request: AuthorizationRequest): AuthorizationRequest {
  if (request.status !== 'withheld') return request;
  const { answerableUntil, responseCodeHash: _hash, session: _session, refusedReturns: _times, ...kept } = request;
  return { ...kept, status: 'verified', expiresAt: answerableUntil };
}

/** The request without the failure of an earlier answer, and without the key that opens answers: it gets no other. */
function termsAndMarks(request: AuthorizationRequest): Omit<AuthorizationRequest, 'status'> {
  const { status: _status, ...rest } = request;
  const { failure: _failure, sealedDecryptionKey: _key, ...kept } = rest as typeof rest & { failure?: Failure };
  return kept;
}
