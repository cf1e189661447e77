/** A member name as one step of a JSON Pointer (RFC 6901 §3), without the slash before it. */
export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
