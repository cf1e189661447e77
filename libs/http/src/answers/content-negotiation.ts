import { Problem } from '@app/primitives/problems';
import Negotiator from 'negotiator';

/** Whether a client would rather have the first media type than the second, which is the usual one. */
export function prefers(accept: string | undefined, special: string, usual: string): boolean {
  return accept !== undefined && new Negotiator({ headers: { accept } }).mediaType([usual, special]) === special;
}

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
