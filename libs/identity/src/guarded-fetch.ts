import { FetchPostponed, type FetchForVerifier } from '@app/credentials';
import { type OutboundClient, OutboundError, type OutboundPurpose } from '@app/outbound';

/**
 * Fetches documents whose addresses others chose. Rejects with `FetchPostponed` when too many are being fetched.
 * @param maxBytes that a document may have; every one under way may take as much memory
 */
export function guardedFetch(
  outbound: Pick<OutboundClient, 'get'>,
  purpose: OutboundPurpose,
  maxBytes: number,
): FetchForVerifier {
  return async (url, accept) => {
    try {
      return await outbound.get(url, { purpose, accept, maxBytes });
    } catch (error) {
      if (!(error instanceof OutboundError) || error.reason !== 'busy') throw error;
      throw new FetchPostponed(error.message, { cause: error });
    }
  };
}

/** Of a document with keys. */
export const mostKeyBytes = 256 * 1024;
