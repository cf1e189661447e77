import type { PublicJwk } from '@app/primitives/jose';
import type { webcrypto } from 'node:crypto';
import { Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { DECRYPTION_ALGORITHM, DecryptionKey } from './decryption-key';
import { SealBrokenError } from '../errors';
import { keyGenerationOf, type NewKey, type StoredKey } from '../store/key-store';
import type { CheckedKey, ProvenKeys } from '../proofs/proven-keys';
import type { RootKeys } from '../root/root-keys';
import { isKeyPurpose, openKey, sealKey } from '../sealing/sealed-key';

const ENCRYPTION = 'encryption';
const HOUR = 60 * 60 * 1000;
const lookEvery = HOUR;
/** How long a key is published. */
const replacedAfter = 7 * 24 * HOUR;
/** How long messages to the key before are still decrypted: others may have read the document that named it. */
const keptAfter = 24 * HOUR;
// Callers choose the kid of what they send: unknown ones query the database once a second at most.
const unknownKidPause = 1_000;

/** A key as a document publishes it. */
export interface PublishedEncryptionKey {
  /** RFC 7638 thumbprint */
  readonly kid: string;
  readonly publicJwk: PublicJwk;
}

interface Held {
  readonly row: CheckedKey;
  readonly key: DecryptionKey;
}

/**
 * The keys to which wallets encrypt requests, shared by the replicas through the key store, which the key ring reads every two
 * seconds. One is published and replaced after a week; the one before decrypts for 24 hours more and is then revoked.
 */
export class EncryptionKeys implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(EncryptionKeys.name);
  readonly #store: ProvenKeys;
  readonly #roots: RootKeys;
  #seen: readonly StoredKey[] | undefined;
  #held: readonly Held[] = [];
  #askedForUnknownAt = -unknownKidPause;
  #timer: NodeJS.Timeout | undefined;

  private constructor(store: ProvenKeys, roots: RootKeys) {
    this.#store = store;
    this.#roots = roots;
  }

  static async open(store: ProvenKeys, roots: RootKeys, now = new Date()): Promise<EncryptionKeys> {
    const keys = new EncryptionKeys(store, roots);
    if (keys.hasWork(now)) await keys.keepUp(now);
    return keys;
  }

  onModuleInit(): void {
    this.#timer = setInterval(() => void this.#tick(), lookEvery).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.#timer);
  }

  /** The key to encrypt to. */
  current(): PublishedEncryptionKey {
    const held = this.#active();
    if (!held) throw new Error('There is no active key for encryption.');
    return held.key;
  }

  /** A key that decrypts: the current one, or one that was replaced less than 24 hours ago. */
  async find(kid: string, now = new Date()): Promise<DecryptionKey | undefined> {
    const find = (): DecryptionKey | undefined =>
      this.#read().find(({ key, row }) => key.kid === kid && !isOver(row, now))?.key;
    const known = find();
    if (known) return known;
    // It may be another replica's latest.
    const asked = performance.now();
    if (asked - this.#askedForUnknownAt < unknownKidPause) return undefined;
    this.#askedForUnknownAt = asked;
    await this.#store.list(ENCRYPTION);
    return find();
  }

  /** All keys that decrypt, for WebCrypto. */
  cryptoKeys(now = new Date()): Promise<{ readonly kid: string; readonly key: webcrypto.CryptoKey }[]> {
    const usable = this.#read().filter(({ row }) => !isOver(row, now));
    return Promise.all(usable.map(async ({ key }) => ({ kid: key.kid, key: await key.cryptoKey() })));
  }

  /** Makes the first key, replaces one that has served its time and revokes the ones before; of several replicas, one does. */
  async keepUp(now: Date): Promise<void> {
    await this.#store.list(ENCRYPTION);
    const active = this.#active();
    if (!active) await this.#store.insert(this.#successor());
    else if (isDue(active.row.createdAt, replacedAfter, now)) {
      await this.#store.replace(active.row, 'retired', this.#successor());
    }
    for (const { row } of this.#read()) {
      if (row.status === 'retired' && isOver(row, now)) await this.#store.revokeRetired(row);
    }
    await this.#store.list(ENCRYPTION);
  }

  /** Whether `keepUp` would change something. */
  hasWork(now: Date): boolean {
    const active = this.#active();
    const isOverdue = ({ row }: Held): boolean => row.status === 'retired' && isOver(row, now);
    return !active || isDue(active.row.createdAt, replacedAfter, now) || this.#read().some(isOverdue);
  }

  async #tick(): Promise<void> {
    try {
      await this.keepUp(new Date());
    } catch (error) {
      const reason = error instanceof Error ? error.name : 'unknown';
      this.logger.warn({ event: 'keys.encryption-not-replaced', reason });
    }
  }

  #active(): Held | undefined {
    return this.#read().findLast(({ row }) => row.status === 'active');
  }

  #successor(): NewKey {
    const latest = Math.max(0, ...this.#read().map(({ row }) => keyGenerationOf(row)));
    const place = this.#store.freePlace(ENCRYPTION, [], latest);
    const { key, privateJwk } = DecryptionKey.generate();
    const sealed = sealKey(this.#roots.sealing, place, Buffer.from(privateJwk));
    return { ...place, algorithm: DECRYPTION_ALGORITHM, publicJwk: key.publicJwk, sealed };
  }

  #read(): readonly Held[] {
    const { lastRead } = this.#store;
    if (lastRead === this.#seen) return this.#held;
    this.#held = this.#store.checked(ENCRYPTION).flatMap((row) => this.#open(row));
    this.#seen = lastRead;
    return this.#held;
  }

  /** A row that was changed from outside the service is not used. */
  #open(row: CheckedKey): Held[] {
    const key = this.#held.find((held) => held.row.id === row.id)?.key ?? opened(this.#roots, row);
    this.#roots.altered.note(row.id, !key || !row.isProven);
    return key && row.isProven ? [{ row, key }] : [];
  }
}

function isOver({ status, updatedAt }: StoredKey, now: Date): boolean {
  return status === 'revoked' || (status === 'retired' && isDue(updatedAt, keptAfter, now));
}

function isDue(since: Date, after: number, now: Date): boolean {
  return now.getTime() - since.getTime() >= after;
}

/** Undefined when the row does not open, or opens to another pair than the one it names. */
function opened(roots: RootKeys, { id, purpose, publicJwk, sealed }: StoredKey): DecryptionKey | undefined {
  if (!isKeyPurpose(purpose)) return undefined;
  try {
    const key = DecryptionKey.fromPrivateJwk(openKey(roots, { id, purpose }, sealed).toString());
    return publicJwk?.x === key.publicJwk.x ? key : undefined;
  } catch (error) {
    if (error instanceof SealBrokenError) return undefined;
    throw error;
  }
}
