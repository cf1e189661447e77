import { type ClaimDescription } from '../formats/configuration-members';
import { type CredentialConfiguration, formatOf } from '../formats/registry';

/**
 * Every reason why a wallet would have to reject a metadata document with this configuration, in words for the
 * person who wrote the configuration; empty when it is sound.
 */
export function faultsOfConfiguration(configuration: CredentialConfiguration): readonly string[] {
  const { id, format, display, claims } = configuration;
  const faults = [...formatOf(format).faultsOfType(configuration)];
  if (id === '') faults.unshift('id must not be empty');
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
