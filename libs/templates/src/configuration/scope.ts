export const scopePattern = '^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,128}$';
const form = new RegExp(scopePattern);

/** A `scope-token` of RFC 6749 §3.3, of a length that many of fit into one request. */
export function isScope(value: unknown): value is string {
  return typeof value === 'string' && form.test(value);
}

export const scopeMessage = 'must be one word of 1 to 128 printable ASCII characters other than " and \\';
