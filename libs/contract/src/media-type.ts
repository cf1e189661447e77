import { preferredMediaType } from '@app/http';
import type { Contract } from './operation';

/** The media types of the answer, the usual one first. */
function mediaTypesOf({ answers }: Contract): readonly [string, ...string[]] {
  const [answer] = Object.values(answers);
  const [first, ...others] = answer?.mediaTypes ?? [];
  if (first === undefined) return ['application/json'];
  return answer?.schema ? ['application/json', first, ...others] : [first, ...others];
}

/** The media type of the answer to a request with this `Accept` header. Throws `not-acceptable` where there is a choice. */
export function mediaTypeOf(contract: Contract, accept: string | undefined): string {
  const [usual, ...others] = mediaTypesOf(contract);
  return others.length === 0 ? usual : preferredMediaType(accept, [usual, ...others]);
}
