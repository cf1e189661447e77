import { preferredMediaType } from '@app/http';
import type { Operation } from './operation';

/** The media types of the answer, the usual one first. */
function mediaTypesOf({ replies }: Operation): readonly [string, ...string[]] {
  const [answer] = Object.values(replies);
  const [first, ...others] = answer?.mediaTypes ?? [];
  if (first === undefined) return ['application/json'];
  return answer?.schema ? ['application/json', first, ...others] : [first, ...others];
}

/** The media type of the answer to a request with this `Accept` header. Throws `not-acceptable` where there is a choice. */
export function mediaTypeOf(operation: Operation, accept: string | undefined): string {
  const [usual, ...others] = mediaTypesOf(operation);
  return others.length === 0 ? usual : preferredMediaType(accept, [usual, ...others]);
}
