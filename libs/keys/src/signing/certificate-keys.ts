import { thumbprint } from '@app/primitives/jose';
import type { webcrypto } from 'node:crypto';
import type { KeyRing } from './key-ring';
import type { KeyStatus, NewKey, StoredKey } from '../store/key-store';
import {
  demandSignature,
  generateAt,
  noProviders,
  ProvidedKey,
  type ProviderObserver,
  providerOf,
  type SigningPolicy,
} from './providers/provided-key';
import { observed, type Observers, type SigningObserver } from './observed-key';
import { openedPair } from './opened-key';
import type { CheckedKey, ProvenKeys } from '../proofs/proven-keys';
import type { RootKeys } from '../root/root-keys';
import { isKeyPurpose, openKey, sealKey } from '../sealing/sealed-key';
import { SignerError } from './providers/provider';
import { type KeyPair, SigningKey, type SigningAlgorithm } from './signing-key';

const CERTIFICATE = 'certificate';

/** What certificates of this service are for; those of development are made by the service itself. */
const certificateKinds = [
  'credentials',
  'requests',
  'documents',
  'metadata',
  'development-requests',
  'development-documents',
  'development-root',
  'development-iaca',
] as const;
export type CertificateKind = (typeof certificateKinds)[number];

/** A key that a certificate vouches for, or will. */
export interface CertificateKey extends KeyPair {
  readonly kind: CertificateKind;
  readonly status: KeyStatus;
  readonly createdAt: Date;
  /** PEM, the leaf first, without the trust anchor; absent until it is installed. */
  readonly chain?: string;
  /** When the key got its chain. */
  readonly installedAt?: Date;
  /** By name, and how it finds the key; absent when the key is in this process. */
  readonly place?: { readonly provider: string; readonly reference: string };
  /** Handles for WebCrypto, of which the private one cannot be exported. */
  cryptoKeys(): Promise<webcrypto.CryptoKeyPair>;
}

/** What a certificate needs of a key. */
export type CertifiableKey = Pick<CertificateKey, 'publicJwk' | 'cryptoKeys'>;

interface AddedKey extends Omit<NewKey, 'id' | 'purpose' | 'sealed'> {
  /** Absent for a key at a provider. */
  readonly privateJwk?: string;
}

interface Opened {
  readonly row: CheckedKey;
  readonly key: SigningKey | ProvidedKey;
}

/**
 * The keys of the service's own certificates, shared by its replicas through the key store. Each has one chain for good:
 * whoever named a certificate finds it again after the next one was installed.
 */
export class CertificateKeys {
  readonly #store: ProvenKeys;
  readonly #roots: RootKeys;
  #opened = new Map<string, SigningKey | ProvidedKey>();
  #seen: readonly StoredKey[] | undefined;
  #keys: readonly Opened[] = [];

  private constructor(
    store: ProvenKeys,
    roots: RootKeys,
    private readonly policy: SigningPolicy,
    private readonly observers: Observers = {},
  ) {
    this.#store = store;
    this.#roots = roots;
  }

  static async open(
    store: ProvenKeys,
    roots: RootKeys,
    policy = noProviders,
    observers?: Observers,
  ): Promise<CertificateKeys> {
    const keys = new CertificateKeys(store, roots, policy, observers);
    // They are read together with the others of the issuer.
    if (store.lastRead.length === 0) await keys.refresh();
    return keys;
  }

  /** The oldest first, as the key store was read last; the key ring reads it every two seconds. */
  all(): CertificateKey[] {
    return this.#read().flatMap(({ row, key }) => {
      const kind = kindOf(row);
      return kind ? [describe(kind, row, key, this.observers.signing)] : [];
    });
  }

  /** Those at providers that sign now: of each kind and algorithm the one that was installed last. */
  providedInUse(): readonly ProvidedKey[] {
    const installed = this.#read()
      .filter(({ row: { status, chain } }) => status === 'active' && chain !== null)
      .sort((one, other) => Number(one.row.updatedAt) - Number(other.row.updatedAt));
    const latest = new Map(installed.map(({ row, key }) => [`${String(kindOf(row))} ${key.algorithm}`, key]));
    return [...latest.values()].filter((key) => key instanceof ProvidedKey);
  }

  /** Another value after each read of the key store. */
  get reading(): unknown {
    return this.#store.lastRead;
  }

  /** At most one observer; it is called for each signature. */
  observe(observer: SigningObserver): void {
    this.observers.signing = observer;
  }

  /** At most one; it is called for each signature that a provider was asked for. */
  observeProviders(observer: ProviderObserver): void {
    this.observers.provider = observer;
  }

  /** Reads the key store again. */
  async refresh(): Promise<void> {
    await this.#store.list(CERTIFICATE);
  }

  /** Adds a new key, without a chain. Returns its thumbprint; undefined when another process took its place at the same time. */
  async add(kind: CertificateKind, algorithm: SigningAlgorithm): Promise<string | undefined> {
    return this.#insert(kind, SigningKey.generate(algorithm), null);
  }

  /**
   * Adds a key of a provider, without a chain, unless it is there. It has to sign a challenge. Rejects with `SignerError`.
   * @param reference as the provider names it; it makes a new key when absent
   */
  async addAt(
    kind: CertificateKind,
    algorithm: SigningAlgorithm,
    provider: string,
    reference?: string,
  ): Promise<string | undefined> {
    const at = providerOf(this.policy, provider);
    const found = reference === undefined ? await generateAt(at, algorithm) : await at.find(reference);
    if (found.algorithm !== algorithm) {
      throw new SignerError(provider, 'denied', undefined, `${found.reference} signs ${found.algorithm} only`);
    }
    await demandSignature(at, found, this.policy);
    await this.refresh();
    const kid = thumbprint(found.publicJwk);
    if (this.#find(kid)) return kid;
    const { publicJwk } = found;
    const isAdded = await this.#add(kind, { algorithm, publicJwk, provider, reference: found.reference });
    return isAdded ? kid : undefined;
  }

  /**
   * Adds a new ES256 key together with its chain, unless another process takes its place at the same time.
   * @param chainOf returns PEM
   */
  async addCertified(kind: CertificateKind, chainOf: (key: CertifiableKey) => Promise<string>): Promise<void> {
    const pair = SigningKey.generate('ES256');
    await this.#insert(kind, pair, await chainOf(pair.key));
  }

  /** Adds a key that was made elsewhere, with its chain (both PEM), unless it is there. */
  async take(kind: CertificateKind, privateKey: string, chain: string): Promise<void> {
    await this.refresh();
    const pair = SigningKey.fromPem(privateKey);
    if (this.all().some(({ kid }) => kid === pair.key.kid)) return;
    await this.#insert(kind, pair, chain);
  }

  /**
   * Makes a key that has no chain the one that signs credentials in its algorithm where it is, with the chain (PEM) it got. Rejects with
   * `SignerError` for a key at a provider.
   */
  async promote(kid: string, chain: string, ring: Pick<KeyRing, 'rotate' | 'adopt'>): Promise<void> {
    await this.refresh();
    const found = this.#find(kid);
    if (!found) return;
    const { id, purpose, sealed, provider, reference } = found.row;
    if (provider !== null && reference !== null) await ring.adopt(provider, reference, chain);
    if (!(found.key instanceof SigningKey) || !isKeyPurpose(purpose)) return;
    const privateJwk = openKey(this.#roots, { id, purpose }, sealed).toString();
    await ring.rotate(found.key.algorithm, { key: found.key, privateJwk, chain });
  }

  /** Permanently stops using a key, of whichever status. */
  async revoke(kid: string): Promise<void> {
    await this.refresh();
    const found = this.#find(kid);
    if (found) await this.#store.withdraw(found.row);
    await this.refresh();
  }

  /** Gives a key a chain, its first or another for the same certificate. Returns false when it is revoked. @param chain PEM */
  async install(kid: string, chain: string): Promise<boolean> {
    await this.refresh();
    const found = this.#find(kid);
    const isInstalled = found !== undefined && (await this.#store.certify(found.row, chain));
    await this.refresh();
    return isInstalled;
  }

  async #insert(
    kind: CertificateKind,
    { key, privateJwk }: { readonly key: SigningKey; readonly privateJwk: string },
    chain: string | null,
  ): Promise<string | undefined> {
    await this.refresh();
    const { algorithm, publicJwk } = key;
    const isAdded = await this.#add(kind, { algorithm, publicJwk, privateJwk, chain });
    return isAdded ? key.kid : undefined;
  }

  async #add(kind: CertificateKind, { privateJwk, ...row }: AddedKey): Promise<boolean> {
    const place = this.#store.freePlace(CERTIFICATE, [kind], 0);
    const sealed = privateJwk === undefined ? '' : sealKey(this.#roots.sealing, place, Buffer.from(privateJwk));
    const isAdded = await this.#store.insert({ ...place, ...row, sealed });
    await this.refresh();
    return isAdded;
  }

  #find(kid: string): Opened | undefined {
    return this.#read().find(({ key }) => key.kid === kid);
  }

  #read(): readonly Opened[] {
    const { lastRead } = this.#store;
    if (lastRead === this.#seen) return this.#keys;
    this.#keys = this.#store.checked(CERTIFICATE).flatMap((row) => this.#open(row));
    this.#opened = new Map(this.#keys.map(({ row, key }) => [row.id, key]));
    this.#seen = lastRead;
    return this.#keys;
  }

  #keyOf(row: CheckedKey): SigningKey | ProvidedKey | undefined {
    if (row.provider === null) return openedPair(this.#roots, row);
    return ProvidedKey.of(row, this.policy, (...asked) => this.observers.provider?.(...asked));
  }

  /** A row that was changed from outside the service vouches for nothing. */
  #open(row: CheckedKey): Opened[] {
    const key = this.#opened.get(row.id) ?? this.#keyOf(row);
    this.#roots.altered.note(row.id, !key || !row.isProven);
    return key && row.isProven ? [{ row, key }] : [];
  }
}

function kindOf({ id, purpose }: StoredKey): CertificateKind | undefined {
  return certificateKinds.find((kind) => id.startsWith(`${purpose}:${kind}:`));
}

function describe(
  kind: CertificateKind,
  { status, createdAt, updatedAt, chain, provider, reference }: StoredKey,
  key: SigningKey | ProvidedKey,
  observer: SigningObserver | undefined,
): CertificateKey {
  const { kid, algorithm, publicJwk } = key;
  const signing = observer ? observed(key, observer) : key;
  return {
    kind,
    kid,
    algorithm,
    publicJwk,
    status,
    createdAt,
    ...(chain !== null && { chain, installedAt: updatedAt }),
    ...(provider !== null && reference !== null && { place: { provider, reference } }),
    sign: (data) => signing.sign(data),
    cryptoKeys: () =>
      key instanceof SigningKey ? key.cryptoKeys() : Promise.reject(new Error('A key at a provider has no handle.')),
  };
}
