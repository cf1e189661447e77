import { thumbprint } from '@app/credentials';
import type { SqlDriver } from '@app/event-store';
import { CheckpointKeys } from './checkpoint-keys';
import { KeyRing, SIGNING } from './key-ring';
import { KeyStore, type KeyStatus } from './key-store';
import { ProofKeys } from './proof-keys';
import { unlockExistingRootKey } from './root-key';
import { type SigningAlgorithm, signingAlgorithms } from './signing-key';

/** What can be told of a signing key without opening it. */
export interface ListedKey {
  /** RFC 7638 thumbprint */
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  readonly status: KeyStatus;
  readonly createdAt: Date;
}

/** Every signing key there ever was, the oldest first. Needs no password. */
export async function listSigningKeys(driver: Pick<SqlDriver, 'query'>): Promise<ListedKey[]> {
  const rows = await new KeyStore(driver).list(SIGNING);
  return rows.flatMap(({ algorithm: name, status, publicJwk, createdAt }) => {
    const algorithm = signingAlgorithms.find((known) => known === name);
    return algorithm && publicJwk ? [{ kid: thumbprint(publicJwk), algorithm, status, createdAt }] : [];
  });
}

/** The keys of a store, opened by a command. */
export interface ExistingKeys {
  readonly ring: KeyRing;
  readonly proofs: ProofKeys;
  readonly checkpoints: CheckpointKeys;
}

/** Opens the keys that the service made. Throws `NoKeysError` when it has never started, and `KeyStoreLockedError`. */
export async function openExistingKeys(driver: Pick<SqlDriver, 'query'>, password: string): Promise<ExistingKeys> {
  const store = new KeyStore(driver);
  const root = await unlockExistingRootKey(store, password);
  return {
    ring: await KeyRing.open(store, root),
    proofs: await ProofKeys.open(store, root),
    checkpoints: await CheckpointKeys.open(store, root),
  };
}
