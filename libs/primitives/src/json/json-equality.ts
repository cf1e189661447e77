/**
 * Whether two JSON values are the same; the order of members does not count (JSON Schema 2020-12 §4.2.2). Compares own
 * members only, so a member may be called `toString`. Takes no longer than the smaller of the two is large.
 */
export function isSameJson(one: unknown, other: unknown): boolean {
  // Numbers included: zero has no sign in JSON Schema.
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    return one.every((element, index) => isSameJson(element, other[index]));
  }
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => Object.hasOwn(other, name) && isSameJson(memberOf(one, name), memberOf(other, name)));
}

function memberOf(value: object, name: string): unknown {
  return (value as Readonly<Record<string, unknown>>)[name];
}
