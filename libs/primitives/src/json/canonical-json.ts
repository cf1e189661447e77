/**
 * JSON text with the members of every object in the order of their names (as RFC 8785 has it), so that a value has one
 * text whatever the database has made of it. Leaves out what `JSON.stringify` leaves out.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return rendered(value) ?? 'null';
  if (value instanceof Date) return canonicalJson(value.toJSON());
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  let members = '';
  for (const name of Object.keys(value).sort()) {
    const member: unknown = (value as Record<string, unknown>)[name];
    if (member === undefined || typeof member === 'function' || typeof member === 'symbol') continue;
    members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(member)}`;
  }
  return `{${members}}`;
}

/** Unlike its type says, what has no JSON gives `undefined`. */
const rendered: (value: unknown) => string | undefined = JSON.stringify;
