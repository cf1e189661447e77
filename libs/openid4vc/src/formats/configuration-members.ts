import type { JsonObject } from '@app/primitives/json';
import { type CredentialSigningAlgorithm } from '../wire/algorithm-names';

/** Claims path pointer (OpenID4VCI 1.0 appendix C): a name, an array index, or null for every element of an array. */
export type ClaimsPath = readonly (string | number | null)[];

export interface CredentialDisplay {
  readonly name: string;
  readonly locale?: string;
  readonly description?: string;
  readonly logo?: { readonly uri: string; readonly alt_text?: string };
  readonly background_color?: string;
  readonly background_image?: { readonly uri: string };
  readonly text_color?: string;
}

export interface ClaimDescription {
  /** From where the claims of the person start: the `pathToClaims` of the format comes before it on the wire. */
  readonly path: ClaimsPath;
  readonly mandatory?: boolean;
  readonly display?: readonly { readonly name: string; readonly locale?: string }[];
}

/**
 * Which values an attestation of the wallet's keys has to have, one of each list; an absent list demands nothing (OpenID4VCI 1.0
 * §12.2.4, `key_attestations_required`).
 */
export interface KeyAttestationLevels {
  readonly keyStorage?: readonly string[];
  readonly userAuthentication?: readonly string[];
}

/** What a credential configuration has in every format. */
export interface ConfigurationMembers {
  readonly id: string;
  /** What a wallet asks for it by in an authorization request; several may share one. */
  readonly scope: string;
  /** Absent: the keys of wallets need no attestation. */
  readonly keyAttestationsRequired?: KeyAttestationLevels;
  /** `embedded_disclosure_policy` of the credential metadata (ETSI TS 119 472-3), for wallets of the EU. */
  readonly disclosurePolicy?: JsonObject;
  readonly signingAlgorithm: CredentialSigningAlgorithm;
  /** The `iss` of its credentials, as far as this service signs them itself. */
  readonly issuer?: string;
  readonly display?: readonly CredentialDisplay[];
  readonly claims?: readonly ClaimDescription[];
}
