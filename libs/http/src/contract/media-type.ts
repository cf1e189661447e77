import { preferredMediaType } from '../answers/content-negotiation';
import type { Operation } from './operation';

/** The media type of the answer to a request with this `Accept` header. Throws `not-acceptable` where there is a choice. */
export function mediaTypeOf({ mediaTypes }: Operation, accept: string | undefined): string {
  return mediaTypes.length === 1 ? mediaTypes[0] : preferredMediaType(accept, mediaTypes);
}
