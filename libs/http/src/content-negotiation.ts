import { Problem } from '@app/problem-details';
import Negotiator from 'negotiator';

/** The offered media type a client prefers (RFC 9110 §12.5.1); the first one when it has no preference. */
export function preferredMediaType<T extends string>(accept: string | undefined, offered: readonly [T, ...T[]]): T {
  if (accept === undefined || accept === '' || accept === '*/*') return offered[0];
  const preferred = new Negotiator({ headers: { accept } }).mediaType([...offered]);
  const found = offered.find((type) => type === preferred);
  if (found === undefined) {
    throw new Problem('not-acceptable', `Available media types: ${offered.join(', ')}.`);
  }
  return found;
}
