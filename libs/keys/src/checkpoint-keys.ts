import { thumbprint, type PublicJwk } from '@app/credentials';
import type { SqlDriver } from '@app/event-store';
import { createPublicKey, verify } from 'node:crypto';
import { SealBrokenError } from './errors';
import { KeyStore } from './key-store';
import type { CheckedKey, ProvenKeys } from './proven-keys';
import type { RootKeys } from './root-keys';
import { generationOf, openKey, sealKey } from './sealed-key';
import { SigningKey } from './signing-key';

const CHECKPOINT = 'checkpoint';
const ALGORITHM = 'EdDSA';

/** The public half of a key that signs checkpoints. */
export interface CheckpointKey {
  /** RFC 7638 thumbprint */
  readonly kid: string;
  readonly publicJwk: PublicJwk;
}

/** The Ed25519 keys that sign checkpoints of the store, apart from those of credentials. The latest one signs. */
export class CheckpointKeys {
  readonly #keys: readonly SigningKey[];

  private constructor(keys: readonly SigningKey[]) {
    this.#keys = keys;
  }

  /** Opens the keys and makes the first one when there is none. Throws `SealBrokenError`. */
  static async open(store: ProvenKeys, roots: RootKeys): Promise<CheckpointKeys> {
    const existing = await CheckpointKeys.openExisting(store, roots);
    if (existing.#keys.length > 0) return existing;
    const place = { id: `${CHECKPOINT}:1`, purpose: CHECKPOINT } as const;
    const { key, privateJwk } = SigningKey.generate(ALGORITHM);
    const sealed = sealKey(roots.current, place, Buffer.from(privateJwk));
    await store.insert({ ...place, algorithm: ALGORITHM, publicJwk: key.publicJwk, sealed });
    const made = await CheckpointKeys.openExisting(store, roots);
    if (made.#keys.length === 0) throw new SealBrokenError(`The key ${place.id}`);
    return made;
  }

  /** Opens the keys there are, without those whose row was altered; none may be there. */
  static async openExisting(store: ProvenKeys, roots: RootKeys): Promise<CheckpointKeys> {
    const inOrder = (await store.list(CHECKPOINT)).sort((one, other) => generationOf(one) - generationOf(other));
    return new CheckpointKeys(inOrder.flatMap((row) => opened(roots, row)));
  }

  /** The oldest first. */
  publicKeys(): CheckpointKey[] {
    return this.#keys.map(({ kid, publicJwk }) => ({ kid, publicJwk }));
  }

  /** Ed25519 (RFC 8032) over the bytes: 64 bytes, and whose they are. */
  sign(bytes: Buffer): { readonly kid: string; readonly signature: Buffer } {
    const key = this.#keys.at(-1);
    if (!key) throw new Error('There is no key for checkpoints.');
    return { kid: key.kid, signature: key.sign(bytes) };
  }

  /** Whether the key of that thumbprint is ours and signed the bytes. */
  check(kid: string, bytes: Buffer, signature: Buffer): boolean {
    const key = this.#keys.find((known) => known.kid === kid);
    return key !== undefined && isSignedBy(key.publicJwk, bytes, signature);
  }
}

/** Whether the public half of a checkpoint key verifies the signature; needs no store. */
export function isSignedBy(publicJwk: PublicJwk, bytes: Buffer, signature: Buffer): boolean {
  return verify(null, bytes, createPublicKey({ key: { ...publicJwk }, format: 'jwk' }), signature);
}

/** The public halves as the database has them, the oldest first. Needs no password. */
export async function listCheckpointKeys(driver: Pick<SqlDriver, 'query'>): Promise<CheckpointKey[]> {
  const rows = await new KeyStore(driver).list(CHECKPOINT);
  return rows.flatMap(({ publicJwk }) => (publicJwk ? [{ kid: thumbprint(publicJwk), publicJwk }] : []));
}

function opened(roots: RootKeys, { id, publicJwk, sealed, isProven }: CheckedKey): SigningKey[] {
  try {
    const key = SigningKey.fromPrivateJwk(ALGORITHM, openKey(roots, { id, purpose: CHECKPOINT }, sealed).toString());
    return isProven && publicJwk?.x === key.publicJwk.x ? [key] : [];
  } catch (error) {
    if (error instanceof SealBrokenError) return [];
    throw error;
  }
}
