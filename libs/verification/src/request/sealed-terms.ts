import { additionalDataOf, type SealedPlace, type Sealer } from '@app/keys';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { streamOfRequest } from './authorization-request';
import type { AuthorizationRequest } from './request-record';
import type { PrivateTerms, RequestTerms } from './request-terms';

/** Seals what may say something about a person under the data key of the request. */
export function sealTerms(sealer: Sealer, requestId: string, dataKey: Buffer, terms: PrivateTerms): string {
  return sealer.seal(dataKey, JSON.stringify(terms), additionalDataOf(placeOf(requestId)));
}

/** The request with what was asked; `undefined` when it was erased. Throws `SealBrokenError`. @param wrappedKey as stored */
export function openRequest(
  sealer: Sealer,
  request: AuthorizationRequest,
  wrappedKey: Buffer | undefined,
): Awaitable<(AuthorizationRequest & RequestTerms) | undefined> {
  if (!wrappedKey || request.erasedAt !== undefined) return undefined;
  return whenThere(sealer.openJson(request.sealedTerms, wrappedKey, placeOf(request.state)), (opened) => {
    // Only sealTerms seals under this place.
    const terms = opened as PrivateTerms | undefined;
    return terms && { ...request, ...terms };
  });
}

function placeOf(requestId: string): SealedPlace {
  return { streamId: streamOfRequest(requestId), event: 'AuthorizationRequested/terms' };
}
