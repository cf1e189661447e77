/** Encodes bytes (or a string as UTF-8) in base64url without padding (RFC 4648 §5, RFC 7515 §2). */
export function encodeBase64Url(bytes: Uint8Array | string): string {
  return typeof bytes === 'string'
    ? Buffer.from(bytes, 'utf8').toString('base64url')
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url');
}

/**
 * Decodes base64url and accepts only the canonical encoding: no padding, no white space, no characters of the
 * standard alphabet, no leftover bits. Returns `undefined` for anything else, so that the caller names the fault.
 */
export function decodeBase64Url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  // Node skips unknown characters, so only a text that survives the round trip unchanged was canonical.
  return bytes.toString('base64url') === text ? bytes : undefined;
}
