import type { SqlExecutor } from '@app/event-store';
import { currentTenant, ofTenant } from '@app/primitives/context';
import { thumbprint } from '@app/primitives/jose';
import { CertificateKeys } from '../signing/certificate-keys';
import { CheckpointKeys } from '../signing/checkpoint-keys';
import { NoProofsError } from '../errors';
import { KeyRing, SIGNING } from '../signing/key-ring';
import { type KeyDatabase, KeyStore, type KeyStatus } from '../store/key-store';
import { ProofKeys } from '../proofs/proof-keys';
import { ProvenKeys } from '../proofs/proven-keys';
import type { RootKeys } from '../root/root-keys';
import type { SigningPolicy } from '../signing/providers/provided-key';
import { type SigningAlgorithm, signingAlgorithms } from '../signing/signing-key';
import { openExistingRootKeys, openRootKeys } from '../root/open-root-keys';

/** What is known of a signing key without opening it. */
export interface ListedKey {
  /** RFC 7638 thumbprint */
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  readonly status: KeyStatus;
  readonly createdAt: Date;
  /** Null for keys in the database. */
  readonly provider: string | null;
  readonly reference: string | null;
}

/** Every signing key that the issuer at hand ever had, the oldest first. Needs no password. */
export async function listSigningKeys(driver: SqlExecutor): Promise<ListedKey[]> {
  const rows = await new KeyStore(driver).list(ofTenant(SIGNING));
  return rows.flatMap(({ algorithm: name, status, publicJwk, createdAt, provider, reference }) => {
    const algorithm = signingAlgorithms.find((known) => known === name);
    const kid = publicJwk && thumbprint(publicJwk);
    return algorithm && kid !== null ? [{ kid, algorithm, status, createdAt, provider, reference }] : [];
  });
}

/**
 * Opens the keys that the service made, of the issuer at hand. Throws `NoKeysError` when it has never started, `NoProofsError` when its first start
 * did not come to its end, and `KeyStoreLockedError`.
 */
export async function openExistingKeys(
  driver: SqlExecutor,
  password: string,
  policy?: SigningPolicy,
): Promise<KeyRing> {
  const { store, roots } = await openExistingStore(driver, password);
  return KeyRing.open(store, roots, policy);
}

async function openExistingStore(
  driver: SqlExecutor,
  password: string,
): Promise<{ store: ProvenKeys; roots: RootKeys }> {
  const store = new KeyStore(driver);
  const roots = await openExistingRootKeys(store, password);
  const proofs = await ProofKeys.openExisting(store, roots);
  if (!proofs.exist) throw new NoProofsError();
  return { store: new ProvenKeys(store, roots, proofs, currentTenant()?.mark), roots };
}

/** The same keys, and those of certificates. */
export async function openExistingCertificateKeys(
  driver: SqlExecutor,
  password: string,
  policy?: SigningPolicy,
): Promise<{ readonly ring: KeyRing; readonly keys: CertificateKeys }> {
  const { store, roots } = await openExistingStore(driver, password);
  return { ring: await KeyRing.open(store, roots, policy), keys: await CertificateKeys.open(store, roots, policy) };
}

/** Opens the keys of proofs, and makes them when there are none, as the service would. Throws `KeyStoreLockedError`. */
export async function openProofKeys(driver: KeyDatabase, password: string): Promise<ProofKeys> {
  return ProofKeys.open(driver, await openRootKeys(new KeyStore(driver), password));
}

/** What checks a store needs; opening it changes nothing. */
export interface CheckingKeys {
  readonly proofs: ProofKeys;
  readonly checkpoints: CheckpointKeys;
  readonly roots: RootKeys;
}

/**
 * Opens what is needed to check a store, whatever state its rows are in. Throws `NoKeysError`, `KeyStoreLockedError`, and
 * `SealBrokenError` when a proof key cannot be opened.
 */
export async function openCheckingKeys(driver: SqlExecutor, password: string): Promise<CheckingKeys> {
  const store = new KeyStore(driver);
  const roots = await openExistingRootKeys(store, password);
  const proofs = await ProofKeys.openExisting(store, roots);
  const checkpoints = await CheckpointKeys.openExisting(new ProvenKeys(store, roots, proofs), roots);
  return { proofs, checkpoints, roots };
}
