/** A JSON object as it came over the wire: members unknown until checked. */
export type WireObject = Readonly<Record<string, unknown>>;

export function isWireObject(value: unknown): value is WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own member, with null read as absent: typed wallets serialise their unset options as null. */
export function member(object: WireObject, name: string): unknown {
  return Object.hasOwn(object, name) ? (object[name] ?? undefined) : undefined;
}

/** The array when it is non-empty and holds non-empty strings only. */
export function nonEmptyStrings(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const items: readonly unknown[] = value;
  return items.every((item): item is string => typeof item === 'string' && item !== '') ? items : undefined;
}
