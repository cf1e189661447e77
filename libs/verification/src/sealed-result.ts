import { notePersonalData } from '@app/audit';
import { additionalDataOf, type SealedPlace, type Sealer } from '@app/keys';
import { type AuthorizationRequest, streamOfRequest } from './authorization-request';
import type { AcceptedResponse } from './response-verifier';

/** Seals what was presented under the data key of its request. @param wrappedKey as stored */
export function sealResult(sealer: Sealer, requestId: string, wrappedKey: Buffer, result: AcceptedResponse): string {
  const dataKey = sealer.unwrap(wrappedKey, placeOf(requestId).streamId);
  const sealed = sealer.seal(dataKey, JSON.stringify(result), additionalDataOf(placeOf(requestId)));
  dataKey.fill(0);
  return sealed;
}

/** Throws `SealBrokenError` when the stored text was tampered with. */
export function openResult(
  sealer: Sealer,
  request: AuthorizationRequest,
  wrappedKey: Buffer,
): AcceptedResponse | undefined {
  if (request.status !== 'verified') return undefined;
  notePersonalData();
  // Only sealResult seals under this place.
  return sealer.openJson(request.sealedResult, wrappedKey, placeOf(request.state)) as AcceptedResponse;
}

function placeOf(requestId: string): SealedPlace {
  return { streamId: streamOfRequest(requestId), event: 'PresentationVerified' };
}
