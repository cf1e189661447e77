/**
 * Bytes of a base64url text (RFC 4648 §5, no padding), or undefined for every spelling but the canonical one. Node's
 * decoder takes several spellings for the same bytes, and single use is recorded by the hash of the text.
 */
export function fromCanonicalBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
