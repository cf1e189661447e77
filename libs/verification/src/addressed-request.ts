import type { Found } from '@app/event-store';
import type { AuthorizationRequests } from './authorization-request';
import type { AuthorizationRequest } from './request-record';
import type { RequestSecrets } from './request-secrets';

export interface AddressedRequest extends Found<AuthorizationRequest> {
  /** Of the browser whose page had the link; such a request has one, and no other request does. */
  readonly session?: string;
}

/** The request at the address that a wallet was given, by `RequestSecrets.addressedAs`. */
export async function findAddressed(
  secrets: RequestSecrets,
  requests: AuthorizationRequests,
  address: string,
): Promise<AddressedRequest | undefined> {
  const [handle = '', session, ...more] = address.split('.');
  const hash = secrets.handles.hashOfText(handle);
  if (!hash || more.length > 0 || (session !== undefined && !/^[\w-]{43}$/.test(session))) return undefined;
  const found = await secrets.handles.find(requests, hash);
  if (!found || (found.state.returnToPage ?? false) !== (session !== undefined)) return undefined;
  return { ...found, ...(session !== undefined && { session }) };
}
