/** A key that a wallet has proved: its RFC 7638 thumbprint, and the DID when the wallet named the key by one. */
export interface ProvenHolderKey {
  readonly thumbprint: string;
  readonly did: string | undefined;
}

/** Whom a credential names as its holder, by a DID, a key, or a DID that consists of its key. Without either nobody can prove it. */
export interface NamedHolder {
  readonly did?: string;
  /** RFC 7638. */
  readonly thumbprint?: string;
  /** There is one copy, however many keys are proved. */
  readonly isOneCopy?: true;
}

/**
 * Whether the proven keys are those of the named holder. A DID is proved by a proof that names it, or by the key that it consists
 * of; what any other DID stands for is known from a proof by `kid` alone. Each key has a copy of its own, unless there is only one.
 */
export function isProvedBy(named: NamedHolder | undefined, keys: readonly ProvenHolderKey[]): boolean {
  if (!named) return true;
  const isTheirs = ({ did, thumbprint: key }: ProvenHolderKey): boolean =>
    (named.did !== undefined && did === named.did) || key === named.thumbprint;
  return named.isOneCopy ? keys.some(isTheirs) : keys.every(isTheirs);
}
