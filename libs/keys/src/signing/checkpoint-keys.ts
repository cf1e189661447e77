import type { SqlDriver } from '@app/event-store';
import { thumbprint, type PublicJwk } from '@app/primitives/jose';
import { createPublicKey, verify } from 'node:crypto';
import { SealBrokenError } from '../errors';
import { keyGenerationOf, KeyStore } from '../store/key-store';
import { openedPair } from './opened-key';
import type { CheckedKey, ProvenKeys } from '../proofs/proven-keys';
import type { RootKeys } from '../root/root-keys';
import { sealKey } from '../sealing/sealed-key';
import { SigningKey } from './signing-key';

const CHECKPOINT = 'checkpoint';
const ALGORITHM = 'EdDSA';

/** The public half of a key that signs checkpoints. */
export interface CheckpointKey {
  /** RFC 7638 thumbprint */
  readonly kid: string;
  readonly publicJwk: PublicJwk;
}

interface Opened {
  readonly row: CheckedKey;
  readonly key: SigningKey;
}

/**
 * The Ed25519 keys that sign checkpoints of the store, apart from those of credentials. The latest one whose row proves
 * itself signs. All that open check, because a sealed key opens under its own id alone: a changed row takes no checkpoint of
 * before with it.
 */
export class CheckpointKeys {
  readonly #opened: readonly Opened[];

  private constructor(opened: readonly Opened[]) {
    this.#opened = opened;
  }

  /** Opens the keys and makes one when there is none that signs. Throws `SealBrokenError`. */
  static async open(store: ProvenKeys, roots: RootKeys): Promise<CheckpointKeys> {
    const existing = await CheckpointKeys.openExisting(store, roots);
    if (existing.#signing) return existing;
    const place = store.freePlace(CHECKPOINT, [], 0);
    const { key, privateJwk } = SigningKey.generate(ALGORITHM);
    const sealed = sealKey(roots.sealing, place, Buffer.from(privateJwk));
    await store.insert({ ...place, algorithm: ALGORITHM, publicJwk: key.publicJwk, sealed });
    const made = await CheckpointKeys.openExisting(store, roots);
    if (!made.#signing) throw new SealBrokenError(`The key ${place.id}`);
    return made;
  }

  /** Opens the existing keys, without those that do not open; there may be none. */
  static async openExisting(store: ProvenKeys, roots: RootKeys): Promise<CheckpointKeys> {
    const opened = (await store.list(CHECKPOINT)).flatMap((row) => {
      const key = row.algorithm === ALGORITHM ? openedPair(roots, row) : undefined;
      roots.altered.note(row.id, !key || !row.isProven);
      return key ? [{ row, key }] : [];
    });
    return new CheckpointKeys(opened.sort((one, other) => keyGenerationOf(one.row) - keyGenerationOf(other.row)));
  }

  /** The oldest first. */
  publicKeys(): CheckpointKey[] {
    return this.#opened.map(({ key: { kid, publicJwk } }) => ({ kid, publicJwk }));
  }

  /** Ed25519 (RFC 8032) over the bytes: 64 bytes, with the thumbprint of the key. */
  sign(bytes: Buffer): { readonly kid: string; readonly signature: Buffer } {
    const key = this.#signing;
    if (!key) throw new Error('There is no key for checkpoints.');
    return { kid: key.kid, signature: key.signNow(bytes) };
  }

  /** Whether the key of that thumbprint is ours and signed the bytes. */
  check(kid: string, bytes: Buffer, signature: Buffer): boolean {
    const known = this.#opened.find(({ key }) => key.kid === kid);
    return known !== undefined && isSignedByCheckpointKey(known.key.publicJwk, bytes, signature);
  }

  /** Thumbprint of the key that signs. */
  get kid(): string | undefined {
    return this.#signing?.kid;
  }

  get #signing(): SigningKey | undefined {
    return this.#opened.filter(({ row }) => row.isProven).at(-1)?.key;
  }
}

/** Whether the public half of a checkpoint key verifies the signature; needs no store. */
export function isSignedByCheckpointKey(publicJwk: PublicJwk, bytes: Buffer, signature: Buffer): boolean {
  return verify(null, bytes, createPublicKey({ key: { ...publicJwk }, format: 'jwk' }), signature);
}

/** The public halves as the database has them, the oldest first. Needs no password. */
export async function listCheckpointKeys(driver: Pick<SqlDriver, 'query'>): Promise<CheckpointKey[]> {
  const rows = await new KeyStore(driver).list(CHECKPOINT);
  return rows.flatMap(({ publicJwk }) => (publicJwk ? [{ kid: thumbprint(publicJwk), publicJwk }] : []));
}
