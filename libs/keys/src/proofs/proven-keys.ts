import type { Prover, Provers } from '@app/event-store';
import { type KeyStatus, type KeyStore, type NewKey, purposesOfTenants, type StoredKey } from '../store/key-store';
import { keptBytes } from '@app/primitives/context';
import type { RootKeys } from '../root/root-keys';
import type { KeyPlace, KeyPurpose } from '../sealing/sealed-key';

/** The purpose of proofs of rows in `key_store`. */
export const KEY_ROWS = 'key-rows';

/** A row of `key_store` and whether its proof fits its content. */
export interface CheckedKey extends StoredKey {
  readonly isProven: boolean;
}

/** Reads and writes rows of `key_store` with proofs of their status, public half and times. */
export class ProvenKeys {
  private readonly prover: Prover;
  private taken: ReadonlySet<string> = new Set();
  private rows: readonly CheckedKey[] = [];

  constructor(
    private readonly store: KeyStore,
    private readonly roots: RootKeys,
    provers: Provers,
    /** Of the tenant whose keys are read; empty for those of the service. */
    private readonly mark = '',
  ) {
    this.prover = provers.for(KEY_ROWS);
  }

  /** All keys of a purpose, the oldest first. On the way it learns of changes of the root key. */
  async list(purpose: string): Promise<CheckedKey[]> {
    const readAt = performance.now();
    const rows = await this.stored();
    if (this.mark === '') this.roots.take(rows, readAt);
    this.taken = new Set(rows.map(({ id }) => id));
    this.rows = rows.map((row) => this.read(row));
    return this.checked(purpose);
  }

  /** What was read last, for whatever purpose; another array after each read. */
  get lastRead(): readonly CheckedKey[] {
    return this.rows;
  }

  /** The keys of a purpose in what was read last, the oldest first. */
  checked(purpose: string): CheckedKey[] {
    return (
      this.rows
        .filter((row) => row.purpose === this.named(purpose))
        // Rows written by SQL can hold `infinity`, which is no Date.
        .sort((one, other) => Number(one.createdAt) - Number(other.createdAt))
    );
  }

  /**
   * Purpose and id of the next key: a row that was added under such an id must not prevent a key from being made. Replicas
   * that saw the same rows get the same one.
   * @param kind what keys replace one another by, besides the purpose
   * @param latest generation of the latest key that proves itself, or 0
   */
  freePlace(ofAll: KeyPurpose, kind: readonly string[], latest: number): KeyPlace {
    const purpose = this.named(ofAll);
    const stem = [purpose, ...kind].join(':');
    let generation = latest + 1;
    while (this.taken.has(`${stem}:${generation}`)) generation++;
    return { id: `${stem}:${generation}`, purpose };
  }

  private named<P extends string>(purpose: P): P | `${P}~${string}` {
    return this.mark === '' ? purpose : `${purpose}~${this.mark}`;
  }

  /** Member by member: copies of rows would each have a layout of its own in memory, where those of many tenants are kept. */
  private read(row: StoredKey): CheckedKey {
    const { id, purpose, algorithm, status, publicJwk, sealed, createdAt, updatedAt, chain, provider, reference } = row;
    const proof = row.proof && keptBytes(row.proof);
    const proven = isProven(row, this.prover);
    // prettier-ignore
    return { id, purpose, algorithm, status, publicJwk, sealed, createdAt, updatedAt, proof, chain, provider, reference, isProven: proven };
  }

  private stored(): Promise<StoredKey[]> {
    if (this.mark === '') return this.store.ofService();
    return this.store.list(...purposesOfTenants.map((purpose) => this.named(purpose)));
  }

  /** Adds an active key; an id that is taken is left unchanged. Returns whether it was free. */
  async insert(key: NewKey): Promise<boolean> {
    return this.store.insert(this.added(key, await this.store.now()));
  }

  /**
   * Gives an active key a chain, its first or another for the same certificate, which keeps its place among others by time.
   * Returns whether the key was still as it was read.
   */
  async certify(key: StoredKey, chain: string): Promise<boolean> {
    const updatedAt = key.chain === null ? await this.store.now() : key.updatedAt;
    return this.store.certify(this.proven({ ...key, chain, updatedAt }), key.chain);
  }

  /** Takes an active key out of use and adds its successor; does nothing when it is not active any more. */
  async replace(outgoing: StoredKey, becomes: 'retired' | 'revoked', successor: NewKey): Promise<void> {
    const now = await this.store.now();
    await this.store.replace(this.changed(outgoing, becomes, now), this.added(successor, now));
  }

  /** Revokes an active key that has no successor. */
  async withdraw(key: StoredKey): Promise<void> {
    await this.store.withdraw(this.changed(key, 'revoked', await this.store.now()));
  }

  /** Revokes a retired key; one with another status is left unchanged. */
  async revokeRetired(key: StoredKey): Promise<void> {
    await this.store.revokeRetired(this.changed(key, 'revoked', await this.store.now()));
  }

  /** What the key has sealed opens no more. */
  async destroy(key: StoredKey): Promise<void> {
    await this.store.destroy(this.changed(key, 'revoked', await this.store.now()));
  }

  private added(key: NewKey, now: Date): StoredKey {
    return this.proven({
      chain: null,
      provider: null,
      reference: null,
      ...key,
      status: 'active',
      createdAt: now,
      updatedAt: now,
      proof: null,
    });
  }

  private changed(key: StoredKey, status: KeyStatus, now: Date): StoredKey {
    return this.proven({ ...key, status, updatedAt: now });
  }

  private proven(row: StoredKey): StoredKey {
    return { ...row, proof: this.prover.prove(provenContent(row)) };
  }
}

export function isProven(row: StoredKey, prover: Prover): boolean {
  return row.proof !== null && prover.check(provenContent(row), row.proof);
}

/**
 * What a proof covers of a row. Not the sealed key: that opens for its own id and purpose only, and is resealed when
 * the root key changes.
 */
export function provenContent(row: StoredKey): Buffer {
  const { id, purpose, algorithm, status, publicJwk, createdAt, updatedAt, chain, provider, reference } = row;
  // The database does not keep the order of JSON members.
  const publicHalf = publicJwk && Object.entries(publicJwk).sort(([one], [other]) => (one < other ? -1 : 1));
  const place = provider === null ? [] : [provider, reference];
  return Buffer.from(
    JSON.stringify([id, purpose, algorithm, status, publicHalf, createdAt, updatedAt, chain, ...place]),
  );
}
