import { urlOf } from '@app/primitives/url';

/** Whether the value is an absolute URI (RFC 3986 §4.3) of at most 2048 characters. */
export function isAbsoluteUri(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length <= 2048 &&
    /^[a-z][a-z0-9+.-]*:[^\s]+$/i.test(value) &&
    urlOf(value) !== undefined
  );
}
