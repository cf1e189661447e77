/**
 * How a credential request was spelled; the answer follows the spelling.
 * F: an id with `proofs` (1.0, draft 15) · F-single: an id with `proof` (draft 15, or 13/14 after authorization_details)
 * L14: `format` with `proofs` · L13: `format` with `proof` · L11: `format` with top-level `types`
 */
export type RequestClass = 'F' | 'F-single' | 'L14' | 'L13' | 'L11';

/** The credential endpoint that was called, hence the metadata document the wallet has read. */
export type CredentialEndpoint = 'final' | 'draft-13';

/** How the request names the credential it wants. */
export type NamedCredential =
  | { readonly by: 'configuration'; readonly configurationId: string }
  | { readonly by: 'identifier'; readonly identifier: string }
  | { readonly by: 'format'; readonly format: 'jwt_vc_json'; readonly types: readonly string[] }
  | { readonly by: 'format'; readonly format: 'vc+sd-jwt' | 'dc+sd-jwt'; readonly vct: string };

/**
 * The `typ` of an issued SD-JWT VC: the old label exactly for a wallet that asked by it or that read the draft-13
 * document, where the configuration is shown under it.
 */
export function sdJwtTyp(endpoint: CredentialEndpoint, named: NamedCredential): 'dc+sd-jwt' | 'vc+sd-jwt' {
  if (named.by === 'format') return named.format === 'vc+sd-jwt' ? 'vc+sd-jwt' : 'dc+sd-jwt';
  return endpoint === 'draft-13' ? 'vc+sd-jwt' : 'dc+sd-jwt';
}
