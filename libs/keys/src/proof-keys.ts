import { createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { SealBrokenError } from './errors';
import type { KeyStore, StoredKey } from './key-store';
import type { RootKey } from './root-key';
import { generationOf, openKey, sealKey } from './sealed-key';

const PROOF = 'proof';
const LENGTH = 32;
/** The generation is one byte of each proof. */
const LAST_GENERATION = 255;

/** Proves content so that whoever can write to the database, and has no key, cannot. */
export interface Prover {
  /** The generation of the key (1 byte) and HMAC-SHA-256 (32 bytes). */
  prove(content: Buffer): Buffer;
  /** Whether a key of this service, of whatever generation, made the proof for this content. */
  check(content: Buffer, proof: Buffer): boolean;
}

/**
 * The keys of the proofs that stored rows carry. They are random and live in the key store, so that a proof outlives every
 * change of password and root key. All generations check, the latest one proves.
 */
export class ProofKeys {
  readonly #keys = new Map<number, KeyObject>();
  #latest = 0;

  private constructor() {}

  /** Opens the proof keys and makes the first one when there is none. Throws `SealBrokenError`. */
  static async open(store: KeyStore, root: RootKey): Promise<ProofKeys> {
    let rows = await store.list(PROOF);
    if (rows.length === 0) {
      const place = { id: `${PROOF}:1`, purpose: PROOF } as const;
      const sealed = sealKey(root, place, randomBytes(LENGTH));
      // Of several replicas that start on an empty database the first insert wins and all read that one back.
      await store.insert({ ...place, algorithm: null, publicJwk: null, sealed });
      rows = await store.list(PROOF);
    }
    const keys = new ProofKeys();
    for (const row of rows) keys.#take(root, row);
    return keys;
  }

  /** Proofs of one purpose; those of another are none for it. @param purpose a constant of the code, such as `events` */
  for(purpose: string): Prover {
    return {
      prove: (content) => this.#proof(this.#latest, purpose, content),
      check: (content, proof) => {
        const generation = proof[0] ?? 0;
        if (!this.#keys.has(generation)) return false;
        const expected = this.#proof(generation, purpose, content);
        return proof.length === expected.length && timingSafeEqual(proof, expected);
      },
    };
  }

  #take(root: RootKey, row: StoredKey): void {
    const generation = generationOf(row);
    const key = openKey(root, { id: row.id, purpose: PROOF }, row.sealed);
    if (key.length !== LENGTH || !(generation >= 1 && generation <= LAST_GENERATION)) {
      throw new SealBrokenError(`The key ${row.id}`);
    }
    this.#keys.set(generation, createSecretKey(key));
    this.#latest = Math.max(this.#latest, generation);
  }

  #proof(generation: number, purpose: string, content: Buffer): Buffer {
    const key = this.#keys.get(generation);
    if (!key) throw new Error(`There is no proof key ${generation}.`);
    // The zero byte ends the purpose: no purpose has one.
    const mac = createHmac('sha256', key).update(`${purpose}\0`).update(content).digest();
    return Buffer.concat([Buffer.of(generation), mac]);
  }
}
