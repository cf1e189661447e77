import { isSignedBy, type PublicJwk, thumbprint } from '@app/primitives/jose';
import { apart } from '@app/primitives/context';
import { Logger, type OnApplicationShutdown, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { webcrypto } from 'node:crypto';
import { SealBrokenError, UnknownKeyError } from '../errors';
import { isOfOneKind, keyGenerationOf, type KeyStatus, type NewKey, type StoredKey } from '../store/key-store';
import {
  demandSignature,
  generateAt,
  noProviders,
  ProvidedKey,
  providerOf,
  type ProviderObserver,
  type SigningPolicy,
  type SigningUse,
} from './providers/provided-key';
import { type KeyProvider, type ProviderKey, SignerError } from './providers/provider';
import { ProviderProbe } from './providers/provider-probe';
import { observed, type Observers, type SigningObserver } from './observed-key';
import { openedPair } from './opened-key';
import type { CheckedKey, ProvenKeys } from '../proofs/proven-keys';
import type { RootKeys } from '../root/root-keys';
import { type KeyPlace, sealKey } from '../sealing/sealed-key';
import { type CertifiedPair, type KeyPair, signingAlgorithms, SigningKey, type SigningAlgorithm } from './signing-key';

/** The purpose under which the key store keeps signing keys. */
export const SIGNING = 'signing';
/** Changes to the keys by another process are effective here within this time and one read of the key store. */
const REFRESH_EVERY = 2_000;
/** While reads fail; after a long database outage nothing can be sealed before the next one succeeds. */
const RETRY_EVERY = 500;
/** Milliseconds after a read of the key store in which the root key that was active then seals. */
const LEASE = 10_000;
// Unauthenticated callers choose the kid of what they send: unknown ones query the database once a second at most.
const UNKNOWN_KID_PAUSE = 1_000;

export interface PublishedKey {
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  readonly publicJwk: PublicJwk;
  readonly status: 'active' | 'retired';
}

/** What is signed to see whether a key can. */
const probe = Buffer.from('probe');

const order: readonly KeyStatus[] = ['active', 'retired', 'revoked'];

interface Held {
  readonly row: CheckedKey;
  /** Null for a key in this process. */
  readonly provider: string | null;
  readonly status: KeyStatus;
  /** The furthest that was ever proven to this process: keys go from active to retired to revoked and never back. */
  readonly proven: KeyStatus | undefined;
  readonly key: SigningKey | ProvidedKey;
}

/** Of a provider, and under which name. */
export interface AdoptedKey {
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  /** With the version. */
  readonly reference: string;
}

/**
 * The signing keys of this service, shared by its replicas through the key store: a rotation or revocation reaches all
 * of them within seconds (docs/architecture/proofs-and-keys.md).
 */
export class KeyRing implements OnModuleInit, OnModuleDestroy, OnApplicationShutdown {
  private readonly logger = new Logger(KeyRing.name);
  readonly #store: ProvenKeys;
  readonly #roots: RootKeys;
  #held: readonly Held[] = [];
  #published: { readonly of: readonly Held[]; readonly keys: readonly PublishedKey[] } = { of: [], keys: [] };
  #refreshing: Promise<void> = Promise.resolve();
  #askedForUnknownAt = -UNKNOWN_KID_PAUSE;
  #timer: NodeJS.Timeout | undefined;
  #sinceLook = 0;
  #isLooking = false;
  #isBehind = false;
  /** Whether keys at providers sign. */
  readonly provided: ProviderProbe;

  private constructor(
    store: ProvenKeys,
    roots: RootKeys,
    private readonly policy: SigningPolicy,
    private readonly observers: Observers = {},
  ) {
    this.#store = store;
    this.#roots = roots;
    this.provided = new ProviderProbe(policy, () =>
      this.#held.flatMap(({ status, key }) => (status === 'active' && key instanceof ProvidedKey ? [key] : [])),
    );
  }

  /**
   * Opens the keys and makes what is missing: one active key per algorithm. A row that does not open counts as altered, and
   * its key as missing. Throws `SealBrokenError` when the root key has changed meanwhile.
   */
  static async open(store: ProvenKeys, roots: RootKeys, policy = noProviders, observers?: Observers): Promise<KeyRing> {
    const ring = new KeyRing(store, roots, policy, observers);
    await ring.refresh();
    return ring;
  }

  onModuleInit(): void {
    this.#roots.lease(LEASE);
    this.#timer = setInterval(() => void this.#tick(), RETRY_EVERY).unref();
    this.provided.start();
  }

  onModuleDestroy(): void {
    clearInterval(this.#timer);
    this.provided.stop();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.policy.providers.values()].map((provider) => provider.close()));
  }

  /** At most one observer; it is called for each signature. */
  observe(observer: SigningObserver): void {
    this.observers.signing = observer;
  }

  /** At most one; it is called for each signature that a provider was asked for. */
  observeProviders(observer: ProviderObserver): void {
    this.observers.provider = observer;
  }

  /** Called for each key whose row was changed from outside the service, also for those that were found before. */
  observeAltered(observer: () => void): void {
    this.#roots.altered.observe(observer);
  }

  /** Get it again for each signature: keys rotate. Throws `SignerError` when its provider has none. */
  activeKey(algorithm: SigningAlgorithm, use: SigningUse = 'credentials'): KeyPair {
    const key = this.findActive(algorithm, use);
    if (key) return key;
    throw new SignerError(this.policy.signers[use] ?? 'local', 'missing', undefined, `no ${algorithm} key was adopted`);
  }

  /** The active one of this process. */
  localKey(algorithm: SigningAlgorithm): KeyPair {
    return this.#active(algorithm).key;
  }

  /** The active one of a provider; of this process when that is absent. */
  activeAt(algorithm: SigningAlgorithm, provider?: string): KeyPair | undefined {
    return this.#held.find(isActive(algorithm, provider ?? null))?.key;
  }

  findActive(algorithm: SigningAlgorithm, use: SigningUse = 'credentials'): KeyPair | undefined {
    const held = this.#held.find(isActive(algorithm, this.policy.signers[use] ?? null));
    return held && this.observers.signing ? observed(held.key, this.observers.signing) : held?.key;
  }

  /** Signs with each active key and verifies with what is published of it; names the algorithms for which that fails. */
  failingAlgorithms(): SigningAlgorithm[] {
    return signingAlgorithms.filter((algorithm) => {
      // Nothing can be sealed, and soon not opened, until this process has started again.
      if (this.#roots.isBehind) return true;
      try {
        const { key } = this.#active(algorithm);
        return !(key instanceof SigningKey) || !isSignedBy(key.publicJwk, algorithm, probe, key.signNow(probe));
      } catch {
        return true;
      }
    });
  }

  /**
   * Activates a key that the operator has made at a provider; the one before of that provider and algorithm stays published. It has to sign a
   * challenge. Rejects with `SignerError`. @param reference as the provider names it @param chain of certificates that it has already, PEM
   */
  async adopt(name: string, reference: string, chain: string | null = null): Promise<AdoptedKey> {
    const provider = providerOf(this.policy, name);
    return this.#take(provider, await provider.find(reference), chain);
  }

  /** Has a provider make a key, and activates it. Rejects with `SignerError`; 'denied' where keys are made by the operator. */
  async generate(name: string, algorithm: SigningAlgorithm): Promise<AdoptedKey> {
    const provider = providerOf(this.policy, name);
    return this.#take(provider, await generateAt(provider, algorithm));
  }

  async #take(provider: KeyProvider, found: ProviderKey, chain: string | null = null): Promise<AdoptedKey> {
    const { algorithm, publicJwk, reference } = found;
    await demandSignature(provider, found, this.policy);
    await this.refresh();
    const kid = thumbprint(publicJwk);
    const known = this.#held.find(({ key }) => key.kid === kid);
    if (known?.status === 'active') return { kid, algorithm, reference };
    if (known) throw new SignerError(provider.name, 'denied', undefined, `${reference} is ${known.status}`);
    const before = this.#held.find(isActive(algorithm, provider.name));
    const place = this.#nextPlace(algorithm, provider.name);
    const row = { ...place, algorithm, publicJwk, sealed: '', provider: provider.name, reference, chain };
    if (before) await this.#store.replace(before.row, 'retired', row);
    else await this.#store.insert(row);
    await this.refresh();
    if (this.knows(kid)) return { kid, algorithm, reference };
    const remedy = `another key was activated at the same time: adopt ${reference} again`;
    throw new SignerError(provider.name, 'busy', undefined, remedy);
  }

  /** What is published: active and retired keys, the oldest first; revoked ones are gone. The same list until the keys are read again. */
  publicKeys(): readonly PublishedKey[] {
    const held = this.#held;
    if (this.#published.of !== held) {
      const keys = held.flatMap(({ status, key: { kid, algorithm, publicJwk } }) =>
        status === 'revoked' ? [] : [{ kid, algorithm, publicJwk, status }],
      );
      this.#published = { of: held, keys };
    }
    return this.#published.keys;
  }

  /** A published key by its thumbprint; an unknown one may be another replica's latest, so the store is asked. */
  async publicKey(kid: string): Promise<PublishedKey | undefined> {
    const find = (): PublishedKey | undefined => this.publicKeys().find((key) => key.kid === kid);
    const known = find();
    if (known) return known;
    const now = performance.now();
    const mayAsk = now - this.#askedForUnknownAt >= UNKNOWN_KID_PAUSE;
    if (mayAsk) this.#askedForUnknownAt = now;
    await (mayAsk ? this.refresh() : this.#refreshing);
    return find();
  }

  /** Whether a thumbprint is that of a key of this service, of whatever status. */
  knows(kid: string): boolean {
    return this.#held.some(({ key }) => key.kid === kid);
  }

  /** Whether a thumbprint is that of a revoked key of this service. */
  isRevoked(kid: string): boolean {
    return this.#held.some(({ status, key }) => status === 'revoked' && key.kid === kid);
  }

  /**
   * Activates a new key; the old one stays published. Of replicas that replace the same key, one does.
   * @param certified the new key and its chain, when it was made before
   */
  async rotate(algorithm: SigningAlgorithm, certified?: CertifiedPair): Promise<void> {
    await this.#store.replace(this.#active(algorithm).row, 'retired', this.#successor(algorithm, certified));
    await this.refresh();
  }

  /** The chain of certificates of an active key, PEM; undefined when it has none. */
  chainOf(kid: string): string | undefined {
    return this.#activeKid(kid)?.row.chain ?? undefined;
  }

  /** Gives an active key a chain. Returns whether it did. @param chain PEM */
  async certify(kid: string, chain: string): Promise<boolean> {
    const held = this.#activeKid(kid);
    const isCertified = held !== undefined && (await this.#store.certify(held.row, chain));
    await this.refresh();
    return isCertified;
  }

  /** Handles of the active key for WebCrypto, of which the private one cannot be exported. */
  cryptoKeys(algorithm: SigningAlgorithm): Promise<webcrypto.CryptoKeyPair> {
    const { key } = this.#active(algorithm);
    if (!(key instanceof SigningKey)) throw new Error('A key at a provider has no handle.');
    return key.cryptoKeys();
  }

  /**
   * Permanently stops using and publishing a key: what it signed no longer verifies as ours. A new key
   * takes the place of an active one in the same moment. Throws `UnknownKeyError`.
   * @param kid thumbprint of an active or retired key; nothing is left to do for a revoked one
   */
  async revoke(kid: string): Promise<void> {
    await this.refresh();
    const held = this.#held.find(({ key }) => key.kid === kid);
    if (!held) throw new UnknownKeyError(kid);
    // Keys go from active to retired to revoked and never back, so whatever another process does in between, one of these acts.
    // A provider's next key is for the operator to adopt.
    if (held.provider !== null) await this.#store.withdraw(held.row);
    else await this.#store.replace(held.row, 'revoked', this.#successor(held.key.algorithm));
    await this.#store.revokeRetired(held.row);
    await this.refresh();
  }

  /** Reads the key store again. Rounds follow one another, so that none overwrites a later one. */
  refresh(): Promise<void> {
    const next = this.#refreshing.then(() => this.#load());
    this.#refreshing = apart(() => next.catch(() => undefined));
    return next;
  }

  async #load(): Promise<void> {
    const rows = await this.#store.list(SIGNING);
    // First of all what is no secret: a row that cannot be opened must not delay a revocation.
    this.#held = this.#held.flatMap((held) => {
      const row = rows.find(({ id }) => id === held.row.id);
      return row ? [this.#judge(row, rows, held.key)] : [];
    });
    this.#held = this.#open(rows);
    const missing = signingAlgorithms.filter((algorithm) => !this.#held.some(isActive(algorithm, null)));
    for (const algorithm of missing) await this.#store.insert(this.#successor(algorithm));
    if (missing.length > 0) this.#held = this.#open(await this.#store.list(SIGNING));
  }

  /** A key whose row does not prove its status counts as revoked, because it may be. */
  #judge(row: CheckedKey, rows: readonly CheckedKey[], key: Held['key']): Held {
    const { provider } = row;
    const before = this.#held.find((held) => held.row.id === row.id)?.proven;
    // An earlier row of the key has a proof, too. What this process has seen, or the successor, shows that it was put back.
    const isBehind = before !== undefined && order.indexOf(row.status) < order.indexOf(before);
    const isReplaced = rows.some((other) => other.isProven && isSuccessor(other, row));
    const isAltered = !row.isProven || isBehind || (row.status === 'active' && isReplaced);
    this.#roots.altered.note(row.id, isAltered);
    return isAltered
      ? { row, provider, status: 'revoked', proven: before, key }
      : { row, provider, status: row.status, proven: row.status, key };
  }

  async #tick(): Promise<void> {
    this.#sinceLook += RETRY_EVERY;
    if (this.#sinceLook < REFRESH_EVERY && !this.#isBehind) return;
    this.#sinceLook = 0;
    await this.#keepUp();
  }

  async #keepUp(): Promise<void> {
    // A slow database gets no second query before it has answered the first.
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      await this.refresh();
      this.#isBehind = false;
    } catch (error) {
      // Signing continues with the present keys; the next round tries again. Logged once, not in each round.
      const reason = error instanceof Error ? error.name : 'unknown';
      if (!this.#isBehind) this.logger.warn({ event: 'keys.refresh-failed', reason });
      this.#isBehind = true;
    } finally {
      this.#isLooking = false;
    }
  }

  /** The one in this process. */
  #active(algorithm: SigningAlgorithm): Held {
    const held = this.#held.find(isActive(algorithm, null));
    if (!held) throw new Error(`There is no active key for ${algorithm}.`);
    return held;
  }

  #activeKid(kid: string): Held | undefined {
    return this.#held.find(({ status, key }) => status === 'active' && key.kid === kid);
  }

  /** A key of the next generation. Its id follows from the generations there are, so that rival replicas collide. */
  #successor(algorithm: SigningAlgorithm, certified?: CertifiedPair): NewKey {
    const place = this.#nextPlace(algorithm, null);
    const { key, privateJwk, chain } = certified ?? { ...SigningKey.generate(algorithm), chain: null };
    const sealed = sealKey(this.#roots.sealing, place, Buffer.from(privateJwk));
    return { ...place, algorithm, publicJwk: key.publicJwk, sealed, chain };
  }

  #opened(row: CheckedKey): SigningKey | ProvidedKey | undefined {
    return row.provider === null ? openedPair(this.#roots, row) : this.#providedKey(row);
  }

  #providedKey(row: CheckedKey): ProvidedKey | undefined {
    return ProvidedKey.of(row, this.policy, (...asked) => this.observers.provider?.(...asked));
  }

  #nextPlace(algorithm: SigningAlgorithm, provider: string | null): KeyPlace {
    const proven = this.#held.filter(({ row }) => row.isProven && isOfOneKind(row, { algorithm, provider }));
    const latest = Math.max(0, ...proven.map(({ row }) => keyGenerationOf(row)));
    return this.#store.freePlace(SIGNING, [algorithm, ...(provider === null ? [] : [provider])], latest);
  }

  #open(rows: readonly CheckedKey[]): Held[] {
    return rows.flatMap((row) => {
      const key = this.#held.find((held) => held.row.id === row.id)?.key ?? this.#opened(row);
      if (key) return [this.#judge(row, rows, key)];
      // Then it may be sealed under a root key that only a new start learns.
      if (this.#roots.isBehind) throw new SealBrokenError(`The signing key ${row.id}`);
      this.#roots.altered.note(row.id, true);
      return [];
    });
  }
}

function isActive(algorithm: SigningAlgorithm, provider: string | null): (held: Held) => boolean {
  return (held) => held.status === 'active' && held.key.algorithm === algorithm && held.provider === provider;
}

function isSuccessor(other: StoredKey, row: StoredKey): boolean {
  return isOfOneKind(other, row) && keyGenerationOf(other) > keyGenerationOf(row);
}
