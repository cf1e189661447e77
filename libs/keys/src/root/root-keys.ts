import { StoreUnavailableError } from '@app/event-store';
import { Logger } from '@nestjs/common';
import { AlteredKeys } from '../store/altered-keys';
import { SealBrokenError } from '../errors';
import { keyGenerationOf, type StoredKey } from '../store/key-store';
import { refuseNewerSeal } from './envelope';
import { isUnderPassword } from './password-envelope';
import { envelopeOf, openUnderRoot, rootGenerationOf, sealUnderRoot } from './root-envelope';
import { RootKey } from './root-key';

/** The purpose under which the key store keeps root keys. */
export const KEY_ENCRYPTION = 'key-encryption';
/** The purpose of a root key sealed under the one before it, while running processes change over. */
export const HANDOVER = 'root-handover';

const logger = new Logger('Keys');
const KEY = 32;
const TIME = 6;

/** A root key that makes nothing any more. */
export interface FormerRoot {
  readonly root: RootKey;
  /** By the database's clock. */
  readonly retiredAt: Date;
  /** Whether something may still be sealed under it. */
  readonly opens: boolean;
}

/**
 * The root keys of a store. The current one seals and makes MACs; later ones are known before they are active; former ones
 * go on to check the MACs they made, and to open until all is resealed.
 */
export class RootKeys {
  /** Rows of the key store that were changed from outside the service, root keys and others. */
  readonly altered = new AlteredKeys();
  readonly #known = new Map<number, RootKey>();
  readonly #former = new Map<number, FormerRoot>();
  #current: RootKey;
  #isBehind = false;
  #readAt = performance.now();
  #leaseMs = Infinity;

  /** @param current and `later` ones that are known already */
  constructor(current: RootKey, later: readonly RootKey[] = []) {
    this.#current = current;
    for (const root of [current, ...later]) this.#known.set(root.generation, root);
  }

  get current(): RootKey {
    return this.#current;
  }

  /**
   * The current root key for something that is to be stored. Throws `StoreUnavailableError` when the lease has expired: then the
   * store may have changed over to another one, and no process would reseal what arrives under this one.
   */
  get sealing(): RootKey {
    if (this.#isBehind) {
      throw new StoreUnavailableError('The root key has changed: restart this process.', false);
    }
    if (performance.now() - this.#readAt > this.#leaseMs) {
      throw new StoreUnavailableError('The key store has not been read for too long.', false);
    }
    return this.#current;
  }

  /** From now on the current root key seals only for this long after each read of the key store. */
  lease(milliseconds: number): void {
    this.#leaseMs = milliseconds;
  }

  /** Whether the store has changed over to a root key that this process has not learned: it has to be started again. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** Any root key of the store. Throws `SealBrokenError` for an unknown one. */
  ofGeneration(generation: number): RootKey {
    const root = this.#known.get(generation);
    if (!root) throw new SealBrokenError();
    return root;
  }

  has(generation: number): boolean {
    return this.#known.has(generation);
  }

  /** The root key that opens what is sealed. Throws `SealBrokenError` for an unknown one and one that seals nothing any more. */
  opening(sealed: Buffer): RootKey {
    refuseNewerSeal(sealed);
    const root = this.ofGeneration(rootGenerationOf(sealed));
    if (this.#former.get(root.generation)?.opens === false) throw new SealBrokenError();
    return root;
  }

  /** Those that make nothing any more, the latest first. */
  former(): FormerRoot[] {
    return [...this.#former.values()].sort((one, other) => other.root.generation - one.root.generation);
  }

  /** Those that other processes may make MACs with already. */
  coming(): RootKey[] {
    return [...this.#known.values()].filter(({ generation }) => generation > this.#current.generation);
  }

  /**
   * Updates the root keys from the rows of the key store.
   * @param readAt monotonic time, before the rows were read
   */
  take(rows: readonly StoredKey[], readAt = performance.now()): void {
    this.#readAt = readAt;
    const handovers = rows.filter(({ purpose }) => purpose === HANDOVER);
    const taken = handovers.map((row) => ({ row, isRight: opens(() => this.#takeHandover(row)) }));
    const roots = rows.filter(({ purpose }) => purpose === KEY_ENCRYPTION);
    // A former one is sealed under its successor.
    const formerFirst = roots
      .filter(({ sealed }) => !isUnderPassword(sealed))
      .sort(byGeneration)
      .reverse();
    taken.push(...formerFirst.map((row) => ({ row, isRight: opens(() => this.#takeFormer(row)) })));
    // While the root key changes there are two under the password, of which the earlier one is active. None before the
    // current one comes again.
    const generations = roots.filter(({ sealed }) => isUnderPassword(sealed)).map(keyGenerationOf);
    const coming = generations.filter((generation) => generation >= this.#current.generation);
    const next = this.#known.get(Math.min(...coming));
    // Other rows of root keys may be forged; that of the current one decides.
    const isFormerClosed = taken.some(({ row, isRight }) => row.id === idOfRoot(this.#current.generation) && !isRight);
    const isBehind = isFormerClosed || (coming.length > 0 && !next);
    for (const { row, isRight } of taken) this.altered.note(row.id, !isRight && !isBehind);
    if (isBehind && !this.#isBehind) logger.error({ event: 'keys.root-unknown' });
    this.#isBehind = isBehind;
    if (next && next.generation > this.#current.generation) this.#current = next;
  }

  #takeHandover({ id, sealed }: StoredKey): boolean {
    const generation = keyGenerationOf({ id });
    if (sealed === '' || this.#known.has(generation)) return true;
    const before = this.#known.get(generation - 1);
    if (!before) return false;
    this.#known.set(generation, openHandover({ id, sealed }, before));
    return true;
  }

  /** Whether the process has the key it is sealed under. */
  #takeFormer({ id, sealed }: StoredKey): boolean {
    const envelope = envelopeOf(sealed);
    const successor = this.#known.get(rootGenerationOf(envelope));
    if (!successor) return false;
    const content = openUnderRoot(successor, KEY_ENCRYPTION, envelope, id);
    const root = new RootKey(content.subarray(0, KEY), keyGenerationOf({ id }));
    const retiredAt = new Date(content.readUIntBE(KEY, TIME));
    this.#known.set(root.generation, this.#known.get(root.generation) ?? root);
    this.#former.set(root.generation, { root, retiredAt, opens: content[KEY + TIME] === 1 });
    return true;
  }
}

/** The row of a former root key: sealed under its successor, with the time and whether it still opens. Base64url text. */
export function sealFormer({ root, retiredAt, opens }: FormerRoot, successor: RootKey): string {
  const rest = Buffer.alloc(TIME + 1);
  rest.writeUIntBE(retiredAt.getTime(), 0, TIME);
  rest.writeUInt8(opens ? 1 : 0, TIME);
  return root.sealedBy((key) =>
    sealUnderRoot(successor, KEY_ENCRYPTION, Buffer.concat([key, rest]), idOfRoot(root.generation)).toString(
      'base64url',
    ),
  );
}

/** A root key for processes that have the one before it. Base64url text. */
export function sealHandover(root: RootKey, before: RootKey): string {
  const id = idOfHandover(root.generation);
  return root.sealedBy((key) => sealUnderRoot(before, HANDOVER, key, id).toString('base64url'));
}

/** The root key that a handover holds. Throws `SealBrokenError`. */
export function openHandover({ id, sealed }: Pick<StoredKey, 'id' | 'sealed'>, before: RootKey): RootKey {
  try {
    return new RootKey(openUnderRoot(before, HANDOVER, envelopeOf(sealed), id), keyGenerationOf({ id }));
  } catch {
    throw new SealBrokenError(`The key ${id}`);
  }
}

export function idOfRoot(generation: number): string {
  return `${KEY_ENCRYPTION}:${generation}`;
}

export function idOfHandover(generation: number): string {
  return `${HANDOVER}:${generation}`;
}

/** A row that was changed from outside the service must not prevent the others from being read. */
function opens(work: () => boolean): boolean {
  try {
    return work();
  } catch (error) {
    if (error instanceof SealBrokenError) return false;
    throw error;
  }
}

function byGeneration(one: StoredKey, other: StoredKey): number {
  return keyGenerationOf(one) - keyGenerationOf(other);
}
