import type { JsonObject } from './strict-json';

export type ClaimsErrorReason =
  'unsafe-name' | 'reserved-name' | 'too-deep' | 'not-json' | 'invalid-pointer' | 'protected-claim';

/** Claims or disclosure pointers that cannot be issued; `pointer` (RFC 6901) names the place. */
export class ClaimsError extends Error {
  override readonly name = 'ClaimsError';

  constructor(
    readonly reason: ClaimsErrorReason,
    readonly pointer: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Refuses claims that no credential may carry: names `__proto__`, `_sd`, `_sd_alg` and `...` at any depth, nesting
 * deeper than 24, values that are not JSON. Throws `ClaimsError`.
 */
export function assertIssuableClaims(_claims: JsonObject): void {
  throw new Error('not built yet');
}
