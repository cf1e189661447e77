import { type FoundStream, shapeVersionOf } from '@app/event-store';
import type { Sealer } from '@app/keys';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import type { PresentationRequests } from './authorization-request';
import type { AuthorizationRequest } from './request-record';
import type { RequestSecrets } from './request-secrets';
import type { RequestTerms } from './request-terms';
import { openRequest } from './sealed-terms';

export interface AddressedRequest extends FoundStream<AuthorizationRequest> {
  /** Of the browser whose page had the link; such a request has one, and no other request does. */
  readonly session?: string;
}

/**
 * The request at the address that a wallet was given, by `RequestSecrets.addressedAs`.
 * @param mayBeKept as of `Repository.loadByHandle`
 */
export function findAddressed(
  secrets: RequestSecrets,
  requests: PresentationRequests,
  address: string,
  mayBeKept = false,
): Awaitable<AddressedRequest | undefined> {
  const [handle = '', session, ...more] = address.split('.');
  if (more.length > 0) return undefined;
  if (session !== undefined && shapeVersionOf(handle) === 1 && !/^[\w-]{43}$/.test(session)) return undefined;
  return whenThere(secrets.handles.findByText(requests, handle, mayBeKept), (found) => {
    if (!found || (found.state.returnToPage ?? false) !== (session !== undefined)) return undefined;
    return { ...found, ...(session !== undefined && { session }) };
  });
}

/** The same with what was asked, for the session of the address; `undefined` when it was erased. */
export function openAddressed(
  sealer: Sealer,
  { state, dataKey, session }: AddressedRequest,
): Awaitable<(AuthorizationRequest & RequestTerms) | undefined> {
  return whenThere(
    openRequest(sealer, state, dataKey),
    (request) => request && { ...request, ...(session !== undefined && { session }) },
  );
}
