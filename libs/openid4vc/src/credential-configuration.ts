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
  /** The `iss` of its credentials, as far as this service signs them itself. */
  readonly issuer?: string;
  readonly display?: readonly CredentialDisplay[];
  readonly claims?: readonly ClaimDescription[];
}

/**
 * Everything that would make a metadata document of this configuration one a wallet must refuse, in words for the
 * person who wrote the configuration; empty when it is sound.
 */
export function faultsOfConfiguration(configuration: CredentialConfiguration): readonly string[] {
  const { id, format, types, vct, display, claims } = configuration;
  const faults: string[] = [];
  if (id === '') faults.push('id must not be empty');
  if (format === 'jwt_vc_json') {
    if (types?.includes('VerifiableCredential') !== true) faults.push('types must contain VerifiableCredential');
    if (vct !== undefined) faults.push('vct belongs to dc+sd-jwt only');
    if (types !== undefined && new Set(types).size < types.length) faults.push('types repeats an entry');
  } else {
    if (vct === undefined || vct === '') faults.push('vct is missing');
    if (types !== undefined) faults.push('types belong to jwt_vc_json only');
  }
  if (display?.length === 0) faults.push('display must not be empty; leave it out instead');
  if (display !== undefined && repeatsLocale(display)) faults.push('display has two entries for one locale');
  return claims === undefined ? faults : [...faults, ...faultsOfClaims(claims)];
}

// OpenID4VCI 1.0 appendix B.3: a repeated or contradictory claim description makes a wallet abort.
function faultsOfClaims(claims: readonly ClaimDescription[]): string[] {
  if (claims.length === 0) return ['claims must not be empty; leave it out instead'];
  const faults: string[] = [];
  const addressed = new Set<string>();
  const readAs = new Map<string, string>();
  for (const { path, display } of claims) {
    const shown = JSON.stringify(path);
    if (path.length === 0) faults.push('a claim path must not be empty');
    if (addressed.has(shown)) faults.push(`the claim path ${shown} appears twice`);
    addressed.add(shown);
    path.forEach((step, depth) => {
      if (typeof step === 'number' && !(Number.isInteger(step) && step >= 0)) {
        faults.push(`the claim path ${shown} holds an index that is no non-negative integer`);
      }
      const parent = JSON.stringify(path.slice(0, depth));
      const kind = step === null ? 'every element' : typeof step;
      if ((readAs.get(parent) ?? kind) !== kind) {
        faults.push(`the claim path ${shown} contradicts another about what ${parent} is`);
      }
      readAs.set(parent, kind);
    });
    if (display?.length === 0) faults.push(`the display of ${shown} must not be empty; leave it out instead`);
    if (display !== undefined && repeatsLocale(display)) faults.push(`the display of ${shown} repeats a locale`);
  }
  return faults;
}

function repeatsLocale(display: readonly { readonly locale?: string }[]): boolean {
  return new Set(display.map((entry) => entry.locale)).size < display.length;
}
