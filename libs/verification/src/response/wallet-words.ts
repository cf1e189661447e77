import type { StoredEvent } from '@app/event-store';
import type { SealedPlace, Sealer } from '@app/keys';
import { sanitiseDescription } from '@app/openid4vc';
import { allThere, type Awaitable, whenThere } from '@app/primitives/awaitable';
import { streamOfRequest } from '../request/authorization-request';
import type { AuthorizationRequestEvent } from '../request/request-record';

/** The error response of a wallet, reduced to printable characters. Anyone who has the link can write anything into it. */
interface WalletWords {
  readonly error: string;
  readonly description?: string;
}

type Declined = Extract<AuthorizationRequestEvent, { type: 'WalletDeclined' }>;

/** OpenID4VP 1.0 §8.5 with RFC 6749 §4.1.2.1, SIOPv2 draft 13 §10.3 and its earlier drafts: these are no words of a person. */
const registered: readonly string[] = [
  'invalid_request',
  'unauthorized_client',
  'access_denied',
  'unsupported_response_type',
  'invalid_scope',
  'server_error',
  'temporarily_unavailable',
  'invalid_client',
  'vp_formats_not_supported',
  'invalid_request_uri_method',
  'invalid_transaction_data',
  'wallet_unavailable',
  'user_cancelled',
  'client_metadata_value_not_supported',
  'subject_syntax_types_not_supported',
  'invalid_client_metadata_uri',
  'invalid_client_metadata_object',
  'registration_value_not_supported',
  'invalid_registration_uri',
  'invalid_registration_object',
];

/** What is recorded of an error response: a registered code, and all of it sealed. @returns `undefined` when it was erased */
export async function sealWords(
  sealer: Sealer,
  requestId: string,
  wrappedKey: Buffer,
  given: { readonly code: string; readonly description?: string },
): Promise<Pick<Declined, 'error' | 'sealedWords'> | undefined> {
  const words: WalletWords = {
    error: sanitiseDescription(given.code),
    ...(given.description !== undefined && { description: sanitiseDescription(given.description) }),
  };
  const sealedWords = await sealer.sealJsonUnder(words, wrappedKey, placeOf(requestId));
  if (sealedWords === undefined) return undefined;
  return { error: registered.includes(words.error) ? words.error : 'unregistered', sealedWords };
}

/** The history with the words of wallets, where they were not erased. Throws `SealBrokenError`. */
export function withWords(
  sealer: Sealer,
  requestId: string,
  wrappedKey: Buffer | undefined,
  history: readonly StoredEvent<AuthorizationRequestEvent>[],
): Awaitable<readonly StoredEvent<AuthorizationRequestEvent>[]> {
  if (!wrappedKey) return history;
  const opened = (stored: StoredEvent<AuthorizationRequestEvent>) => {
    const { event } = stored;
    if (event.type !== 'WalletDeclined') return stored;
    return whenThere(sealer.openJson(event.sealedWords, wrappedKey, placeOf(requestId)), (words) => {
      // Only sealWords seals under this place.
      return { ...stored, event: { ...event, ...(words as WalletWords | undefined) } };
    });
  };
  return allThere(history.map(opened));
}

function placeOf(requestId: string): SealedPlace {
  return { streamId: streamOfRequest(requestId), event: 'WalletDeclined' };
}
