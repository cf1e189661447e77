import type { IsTrusted } from '@app/credentials';

/** One line of the trust list: an issuer, for all types or for those that are named. */
interface TrustedIssuer {
  readonly issuer: string;
  readonly types: readonly string[];
}

/**
 * Reads `SERVICE__VERIFICATION__TRUSTED_ISSUERS`: each entry is the DID or URL of an issuer, optionally followed by the
 * credential types (vct, or W3C types) it is trusted for, separated by spaces.
 */
export function parseTrustList(entries: readonly string[]): readonly TrustedIssuer[] {
  return entries.map((entry) => {
    const [issuer = '', ...types] = entry.trim().split(/\s+/);
    return { issuer, types };
  });
}

/**
 * Decides whose credentials count: our own always, those of the trust list for their types, in development everybody's
 * that resolve, which the result then says.
 */
export function trustPolicy(
  list: readonly TrustedIssuer[],
  isOwn: (issuer: string) => boolean,
  isDevelopment: boolean,
): IsTrusted {
  return (issuer, types) => {
    const listed = list.some(
      (entry) =>
        entry.issuer === issuer && (entry.types.length === 0 || types.some((type) => entry.types.includes(type))),
    );
    if (listed || isOwn(issuer)) return 'trusted';
    return isDevelopment ? 'accepted-in-development' : 'untrusted';
  };
}
