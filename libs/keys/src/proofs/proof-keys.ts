import type { Prover } from '@app/event-store';
import { Logger } from '@nestjs/common';
import { createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { ProofKeyGoneError, SealBrokenError } from '../errors';
import { keyGenerationOf, type KeyDatabase, KeyStore, type StoredKey } from '../store/key-store';
import { provenContent, KEY_ROWS } from './proven-keys';
import type { RootKeys } from '../root/root-keys';
import { openKey, sealKey } from '../sealing/sealed-key';

const logger = new Logger('Keys');
const PROOF = 'proof';
const LENGTH = 32;
/** The generation is one byte of each proof. */
const LAST_GENERATION = 255;

/**
 * The keys of the proofs that stored rows carry. They are random and live in the key store, so that a proof outlives every
 * change of password and root key. All generations check, the latest one proves.
 */
export class ProofKeys {
  readonly #keys = new Map<number, KeyObject>();
  #latest = 0;

  private constructor() {}

  /**
   * Opens the proof keys, without those that do not open. None may be there: then nothing checks. Throws `SealBrokenError`
   * when there are rows and none opens.
   */
  static async openExisting(store: KeyStore, roots: RootKeys): Promise<ProofKeys> {
    const keys = new ProofKeys();
    const rows = await store.list(PROOF);
    for (const row of rows) roots.altered.note(row.id, !keys.#take(roots, row));
    if (rows.length > 0 && !keys.exist) throw new SealBrokenError('The proof key');
    return keys;
  }

  /**
   * Opens the proof keys and makes the first one when there is none, together with the proofs of the keys there are.
   * @throws SealBrokenError, ProofKeyGoneError
   */
  static async open(database: KeyDatabase, roots: RootKeys): Promise<ProofKeys> {
    const store = new KeyStore(database);
    const existing = await ProofKeys.openExisting(store, roots);
    if (existing.exist) return existing;
    await database.transaction(async (tx) => {
      const keys = await ProofKeys.#first(new KeyStore(tx), roots);
      if (!keys) return;
      logger.log({ event: 'keys.proof-key-made' });
    });
    return ProofKeys.openExisting(store, roots);
  }

  /** Whether there are any: none before the service has started. */
  get exist(): boolean {
    return this.#latest > 0;
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

  /** Of several replicas that start at once the first insert wins; the others get undefined when its transaction is done. */
  static async #first(store: KeyStore, roots: RootKeys): Promise<ProofKeys | undefined> {
    const key = randomBytes(LENGTH);
    const place = { id: `${PROOF}:1`, purpose: PROOF } as const;
    const now = await store.now();
    const row: StoredKey = {
      ...place,
      algorithm: null,
      status: 'active',
      publicJwk: null,
      sealed: sealKey(roots.current, place, key),
      createdAt: now,
      updatedAt: now,
      proof: null,
      chain: null,
      provider: null,
      reference: null,
    };
    if (!(await store.insert(row))) return undefined;
    const keys = new ProofKeys();
    keys.#take(roots, row);
    const prover = keys.for(KEY_ROWS);
    const rows = await store.all();
    // The key of checkpoints is made after this one.
    if (rows.some(({ purpose }) => purpose === 'checkpoint')) throw new ProofKeyGoneError();
    for (const each of rows) if (!each.proof) await store.prove(each.id, prover.prove(provenContent(each)));
    return keys;
  }

  /** Returns whether it opens. */
  #take(roots: RootKeys, row: StoredKey): boolean {
    const generation = keyGenerationOf(row);
    const key = opened(roots, row);
    if (key?.length !== LENGTH || !(generation >= 1 && generation <= LAST_GENERATION)) return false;
    this.#keys.set(generation, createSecretKey(key));
    this.#latest = Math.max(this.#latest, generation);
    return true;
  }

  #proof(generation: number, purpose: string, content: Buffer): Buffer {
    const key = this.#keys.get(generation);
    if (!key) throw new Error('There is no proof key yet: the service makes it when it starts.');
    // The zero byte ends the purpose: no purpose has one.
    const mac = createHmac('sha256', key).update(`${purpose}\0`).update(content).digest();
    return Buffer.concat([Buffer.of(generation), mac]);
  }
}

function opened(roots: RootKeys, { id, sealed }: StoredKey): Buffer | undefined {
  try {
    return openKey(roots, { id, purpose: PROOF }, sealed);
  } catch (error) {
    if (error instanceof SealBrokenError) return undefined;
    throw error;
  }
}
