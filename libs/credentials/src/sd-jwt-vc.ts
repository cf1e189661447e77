import type { Holder } from './key-proof';
import type { SignJws } from './jws';
import type { StatusListReference } from './jwt-vc-json';
import type { JsonObject } from './strict-json';

/** JSON Pointers (RFC 6901) into the claims, or every top-level claim. A pointer to an absent claim is ignored. */
export type SelectivelyDisclosable = 'top-level' | readonly string[];

export type SdJwtVcInput = {
  readonly vct: string;
  readonly issuer: string;
  readonly claims: JsonObject;
  readonly selectivelyDisclosable: SelectivelyDisclosable;
  /** Absent for a credential that is not bound to a key. */
  readonly holder?: Holder;
  readonly issuedAt: Date;
  readonly expiresAt?: Date;
  readonly status?: StatusListReference;
  readonly typ: 'dc+sd-jwt' | 'vc+sd-jwt';
  readonly sign: SignJws;
  /** Further always-visible members of the payload, such as `sub`, `nbf`, `vct#integrity`. */
  readonly extraPayload?: JsonObject;
};

/** Refuses malformed pointers and pointers to claims that must stay visible. Throws `ClaimsError`. */
export function assertDisclosurePointers(_pointers: readonly string[]): void {
  throw new Error('not built yet');
}

/** Builds and signs an SD-JWT VC for issuance: `<JWT>~<disclosure>~...~`. Throws `ClaimsError`. */
export function buildSdJwtVc(_input: SdJwtVcInput): string {
  throw new Error('not built yet');
}
