/**
 * JSON Pointers (RFC 6901) of every text and every member name with U+0000 in it. JSON may carry that character;
 * PostgreSQL stores it neither in text nor in jsonb.
 */
export function nulPointers(value: unknown, pointer = ''): string[] {
  if (typeof value === 'string') return value.includes('\0') ? [pointer] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const place = `${pointer}/${escapePointer(name)}`;
    return [...(name.includes('\0') ? [place] : []), ...nulPointers(member, place)];
  });
}

/** A member name as one step of a JSON Pointer. */
export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
