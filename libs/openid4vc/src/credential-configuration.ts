export type CredentialFormat = 'jwt_vc_json' | 'dc+sd-jwt';
export type CredentialSigningAlgorithm = 'ES256' | 'EdDSA';

/** Claims path pointer (OpenID4VCI 1.0 appendix C): a name, an array index, or null for every element of an array. */
export type ClaimsPath = readonly (string | number | null)[];

export interface CredentialDisplay {
  readonly name: string;
  readonly locale?: string;
  readonly description?: string;
  readonly logo?: { readonly uri: string; readonly alt_text?: string };
  readonly background_color?: string;
  readonly text_color?: string;
}

export interface ClaimDescription {
  /** Below `credentialSubject` for jwt_vc_json, below the payload for dc+sd-jwt. */
  readonly path: ClaimsPath;
  readonly mandatory?: boolean;
  readonly display?: readonly { readonly name: string; readonly locale?: string }[];
}

/** What we offer to issue, free of any draft: both metadata documents and every request are read against it. */
export interface CredentialConfiguration {
  readonly id: string;
  readonly format: CredentialFormat;
  /** jwt_vc_json only. */
  readonly types?: readonly string[];
  /** dc+sd-jwt only. */
  readonly vct?: string;
  readonly signingAlgorithm: CredentialSigningAlgorithm;
  readonly display?: readonly CredentialDisplay[];
  readonly claims?: readonly ClaimDescription[];
}
