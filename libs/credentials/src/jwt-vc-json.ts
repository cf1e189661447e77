import type { Holder } from './key-proof';
import type { SignJws } from './jws';
import type { JsonObject } from './strict-json';

/** A place in a Token Status List. */
export type StatusListReference = { readonly uri: string; readonly idx: number };

export type JwtVcJsonInput = {
  /** DID or https URL, alone or with a display name. */
  readonly issuer: string | { readonly id: string; readonly name?: string };
  /** `VerifiableCredential` is added in front when missing. */
  readonly types: readonly string[];
  /** Contexts after `https://www.w3.org/2018/credentials/v1`. */
  readonly contexts?: readonly string[];
  readonly subjectClaims: JsonObject;
  /** Absent for a bearer credential. */
  readonly holder?: Holder;
  /** A URI, for example `urn:uuid:...`. */
  readonly credentialId: string;
  readonly issuedAt: Date;
  readonly expiresAt?: Date;
  readonly status?: StatusListReference;
  readonly sign: SignJws;
};

/** Builds and signs a `jwt_vc_json` credential (VCDM 1.1 §6.3.1). Throws `ClaimsError`. */
export function buildJwtVcJson(_input: JwtVcJsonInput): string {
  throw new Error('not built yet');
}
