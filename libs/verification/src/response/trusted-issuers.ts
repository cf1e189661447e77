import { areTrustedTypes, type IsTrusted } from '@app/credentials';

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
 * Decides whose credentials are accepted: our own always, those of the trust list for their types, and in development those
 * of every issuer that resolves, which the result then states. An issuer who is trusted for some types is trusted for a credential only
 * when all types it claims are among them, or the others could be claimed along with a harmless one.
 */
export function trustPolicy(
  list: readonly TrustedIssuer[],
  isOwn: (issuer: string) => boolean,
  isDevelopment: boolean,
): IsTrusted {
  return (issuer, types) => {
    if (isOwn(issuer) || isListed(list, issuer, types)) return 'trusted';
    return isDevelopment ? 'accepted-in-development' : 'untrusted';
  };
}

function isListed(list: readonly TrustedIssuer[], issuer: string, types: readonly string[]): boolean {
  const entries = list.filter((entry) => entry.issuer === issuer);
  if (entries.some((entry) => entry.types.length === 0)) return true;
  return areTrustedTypes(
    entries.flatMap((entry) => entry.types),
    types,
  );
}
