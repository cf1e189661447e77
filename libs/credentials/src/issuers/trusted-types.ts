/** Every W3C credential has it, so it says nothing about what an issuer may state. */
const BASE_TYPE = 'VerifiableCredential';

/**
 * Whether an issuer that is trusted for some types is trusted for a credential: only when all types that it claims are
 * among them, or the others could be claimed along with a harmless one.
 * @param claimed vct, or W3C types
 */
export function areTrustedTypes(trusted: Iterable<string>, claimed: readonly string[]): boolean {
  const trustedFor = new Set(trusted);
  const specific = claimed.filter((type) => type !== BASE_TYPE);
  const stated = specific.length === 0 ? claimed : specific;
  return stated.length > 0 && stated.every((type) => trustedFor.has(type));
}

/** Whether an anchor vouches for a credential. @param types of the anchor; empty = all */
export function coversTypes(types: readonly string[], claimed: readonly string[]): boolean {
  return types.length === 0 || areTrustedTypes(types, claimed);
}
