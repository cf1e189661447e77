import type { Finding, Prover, SqlExecutor } from '@app/event-store';
import type { PublicJwk } from '@app/primitives/jose';
import { DECRYPTION_ALGORITHM, DecryptionKey } from '../encryption/decryption-key';
import { SealBrokenError } from '../errors';
import type { CheckingKeys } from './existing-keys';
import { isOfOneKind, keyGenerationOf, KeyStore, type StoredKey } from '../store/key-store';
import { isProven, KEY_ROWS } from '../proofs/proven-keys';
import { HANDOVER, KEY_ENCRYPTION, type RootKeys } from '../root/root-keys';
import { isKeyPurpose, openKey } from '../sealing/sealed-key';
import { signingAlgorithms, SigningKey } from '../signing/signing-key';

/** Checks every row of `key_store`: its proof, whether its key opens, and whether the rows agree with one another. */
export async function* checkKeyRows(
  driver: SqlExecutor,
  { proofs, roots }: CheckingKeys,
): AsyncGenerator<Finding, void> {
  const rows = await new KeyStore(driver).all();
  const prover = proofs.for(KEY_ROWS);
  const proven = proofs.exist ? rows.filter((row) => isProven(row, prover)) : rows;
  for (const row of rows) {
    const fault =
      (proofs.exist ? proofFault(row, prover) : undefined) ?? contentFault(row, roots) ?? orderFault(row, proven);
    if (fault !== undefined) yield { subject: `key ${row.id}`, fault };
  }
}

function proofFault(row: StoredKey, prover: Prover): string | undefined {
  if (row.proof === null) return 'has no proof: it was added outside the service';
  return isProven(row, prover) ? undefined : 'was changed outside the service';
}

function contentFault(row: StoredKey, roots: RootKeys): string | undefined {
  if (row.purpose === KEY_ENCRYPTION) return roots.has(keyGenerationOf(row)) ? undefined : 'cannot be opened';
  // It is empty when the change of the root key is done.
  if (row.purpose === HANDOVER) return undefined;
  if (!isKeyPurpose(row.purpose)) return 'has an unknown purpose';
  // There is nothing to open.
  if (row.provider !== null) return row.publicJwk ? undefined : 'has no public half';
  try {
    const isOfTenant = row.purpose.startsWith('tenant~');
    if (isOfTenant && row.sealed === '' && row.status === 'revoked') return undefined;
    const key = openKey(roots, { id: row.id, purpose: row.purpose }, row.sealed);
    if (row.purpose === 'proof' || isOfTenant) return undefined;
    const publicJwk = publicHalfOf(row, key.toString());
    if (!publicJwk) return 'has an unknown algorithm';
    return publicJwk.x === row.publicJwk?.x ? undefined : 'has the public half of another key';
  } catch (error) {
    if (error instanceof SealBrokenError) return 'cannot be opened';
    return 'holds no key';
  }
}

/** Undefined for an algorithm that this version does not know. Throws when the text holds no such key. */
function publicHalfOf({ algorithm: name }: StoredKey, privateJwk: string): PublicJwk | undefined {
  if (name === DECRYPTION_ALGORITHM) return DecryptionKey.fromPrivateJwk(privateJwk).publicJwk;
  const algorithm = signingAlgorithms.find((known) => known === name);
  return algorithm && SigningKey.fromPrivateJwk(algorithm, privateJwk).publicJwk;
}

/** Keys of one kind replace one another: an earlier one that is active again was put back. */
function orderFault(row: StoredKey, proven: readonly StoredKey[]): string | undefined {
  if (row.purpose !== 'signing' || row.status !== 'active') return undefined;
  const isReplaced = proven.some(
    (other) =>
      other.purpose === row.purpose && isOfOneKind(other, row) && keyGenerationOf(other) > keyGenerationOf(row),
  );
  return isReplaced ? 'is active although another one replaced it' : undefined;
}
