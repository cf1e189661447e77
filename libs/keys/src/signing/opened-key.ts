import { SealBrokenError } from '../errors';
import type { StoredKey } from '../store/key-store';
import type { RootKeys } from '../root/root-keys';
import { isKeyPurpose, openKey } from '../sealing/sealed-key';
import { signingAlgorithms, SigningKey } from './signing-key';

/** The key pair of a row; undefined when the row does not open, or opens to another pair than the one it names. */
export function openedPair(
  roots: RootKeys,
  { id, purpose, algorithm: name, publicJwk, sealed }: StoredKey,
): SigningKey | undefined {
  const algorithm = signingAlgorithms.find((known) => known === name);
  if (!algorithm || !isKeyPurpose(purpose)) return undefined;
  try {
    const key = SigningKey.fromPrivateJwk(algorithm, openKey(roots, { id, purpose }, sealed).toString());
    // A public half that was replaced in the database must not be published.
    return publicJwk?.x === key.publicJwk.x ? key : undefined;
  } catch (error) {
    if (error instanceof SealBrokenError) return undefined;
    throw error;
  }
}
