import { notePersonalData } from '@app/access';
import type { StoredEvent } from '@app/event-store';
import { additionalDataOf, type SealedPlace, type Sealer } from '@app/keys';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { deflateSync, inflateSync } from 'node:zlib';
import { streamOfRequest } from '../request/authorization-request';
import type { AuthorizationRequestEvent } from '../request/request-record';
import type { AcceptedResponse } from './response-verifier';

/**
 * Seals what was presented under the data key of its request. Tokens are base64url, so compression takes off a third.
 * @param wrappedKey as stored
 * @returns `undefined` when the request was erased
 */
export function sealResult(
  sealer: Sealer,
  requestId: string,
  wrappedKey: Buffer,
  result: AcceptedResponse,
): Awaitable<string | undefined> {
  const place = placeOf(requestId);
  return whenThere(sealer.unwrap(wrappedKey, place.streamId), (dataKey) => {
    if (!dataKey) return undefined;
    // 20 µs; higher levels find nothing more in what is mostly random.
    const compressed = deflateSync(JSON.stringify(result), { level: 1 });
    const sealed = sealer.seal(dataKey, compressed, additionalDataOf(place));
    dataKey.fill(0);
    return sealed;
  });
}

/**
 * What was presented to a request, as its history holds it; `undefined` when nothing was, or when it was erased. Throws
 * `SealBrokenError` when the stored text was tampered with.
 */
export function openResult(
  sealer: Sealer,
  requestId: string,
  wrappedKey: Buffer,
  history: readonly Pick<StoredEvent<AuthorizationRequestEvent>, 'event'>[],
): Awaitable<AcceptedResponse | undefined> {
  const presented = history.map(({ event }) => event).find(({ type }) => type === 'PresentationVerified');
  if (presented?.type !== 'PresentationVerified') return undefined;
  notePersonalData();
  const place = placeOf(requestId);
  return whenThere(sealer.unwrap(wrappedKey, place.streamId), (dataKey) => {
    if (!dataKey) return undefined;
    const opened = sealer.open(dataKey, presented.sealedResult, additionalDataOf(place));
    dataKey.fill(0);
    // Only sealResult seals under this place.
    return JSON.parse(inflateSync(opened).toString('utf8')) as AcceptedResponse;
  });
}

function placeOf(requestId: string): SealedPlace {
  return { streamId: streamOfRequest(requestId), event: 'PresentationVerified' };
}
