/** A member name as one step of a JSON Pointer (RFC 6901 §3), without the slash before it. */
export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The name of one step of a JSON Pointer (RFC 6901 §4). */
export function unescapePointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
