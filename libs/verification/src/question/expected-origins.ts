export const mostOrigins = 20;
export const longestOrigin = 256;

export const originsMessage =
  'must be origins as browsers write them: https:// and the host in lower case, a port only when it is not 443, and no slash at the end';

export const originSchema = {
  type: 'string',
  maxLength: longestOrigin,
  pattern: '^https?://([a-z0-9_.-]+|\\[[0-9a-f:.]+\\])(:[1-9][0-9]{0,4})?$',
};
const form = new RegExp(originSchema.pattern);

/** The serialized origin of a page with https; with http where that is allowed, in development. */
export function isOrigin(value: unknown, isHttpAllowed: boolean): boolean {
  if (typeof value !== 'string' || !form.test(value) || !URL.canParse(value)) return false;
  const { origin, protocol } = new URL(value);
  return origin === value && (protocol === 'https:' || (isHttpAllowed && protocol === 'http:'));
}
