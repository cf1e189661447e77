import type { JsonObject } from '@app/primitives/json';
import type { SealedPlace, Sealer } from '@app/keys';
import type { Awaitable } from '@app/primitives/awaitable';
import { streamOfAuthorization } from './authorization';

/** Seals the claims of the person who was identified. @returns `undefined` when the authorization was erased */
export function sealClaims(
  sealer: Sealer,
  authorizationId: string,
  wrappedKey: Buffer,
  claims: JsonObject,
): Awaitable<string | undefined> {
  return sealer.sealJsonUnder(claims, wrappedKey, placeOfClaims(authorizationId));
}

/** `undefined` when the authorization was erased. Throws `SealBrokenError`. */
export async function openClaims(
  sealer: Sealer,
  authorizationId: string,
  wrappedKey: Buffer,
  sealedClaims: string,
): Promise<JsonObject | undefined> {
  // Only sealClaims seals under this place.
  return (await sealer.openJson(sealedClaims, wrappedKey, placeOfClaims(authorizationId))) as JsonObject | undefined;
}

/** What the client's `state` is sealed for. */
export function placeOfState(authorizationId: string): SealedPlace {
  return { streamId: streamOfAuthorization(authorizationId), event: 'AuthorizationPushed/state' };
}

function placeOfClaims(authorizationId: string): SealedPlace {
  return { streamId: streamOfAuthorization(authorizationId), event: 'PersonIdentified' };
}
