/** A few bytes that are kept for long, by themselves: where they come from they may keep 8 KiB that others had as well. */
export function keptBytes(bytes: Buffer): Buffer {
  const own = Buffer.alloc(bytes.length);
  bytes.copy(own);
  return own;
}
