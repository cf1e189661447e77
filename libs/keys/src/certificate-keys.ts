import type { PublicJwk } from '@app/jose';
import type { webcrypto } from 'node:crypto';
import type { KeyStatus, StoredKey } from './key-store';
import { openedPair } from './opened-key';
import type { CheckedKey, ProvenKeys } from './proven-keys';
import type { RootKeys } from './root-keys';
import { sealKey } from './sealed-key';
import { SigningKey, type SigningAlgorithm } from './signing-key';

const CERTIFICATE = 'certificate';
const ALGORITHM = 'ES256';

/** What certificates of this service are for; those of development are made by the service itself. */
const certificateKinds = ['credentials', 'requests', 'development-requests', 'development-root'] as const;
export type CertificateKind = (typeof certificateKinds)[number];

/** A key that a certificate vouches for, or will. */
export interface CertificateKey {
  readonly kind: CertificateKind;
  /** RFC 7638 thumbprint */
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  readonly publicJwk: PublicJwk;
  readonly status: KeyStatus;
  readonly createdAt: Date;
  /** PEM, the leaf first, without the trust anchor; absent until it is installed. */
  readonly chain?: string;
  /** When the key got its chain. */
  readonly installedAt?: Date;
  /** See `SigningKey.signJwt`. */
  signJwt(header: object, payload: object): string;
  /** Handles for WebCrypto, of which the private one cannot be exported. */
  cryptoKeys(): Promise<webcrypto.CryptoKeyPair>;
}

interface Opened {
  readonly row: CheckedKey;
  readonly key: SigningKey;
}

/**
 * The keys of the service's own certificates, shared by its replicas through the key store. Each has one chain for good:
 * whoever named a certificate finds it again after the next one was installed.
 */
export class CertificateKeys {
  readonly #store: ProvenKeys;
  readonly #roots: RootKeys;
  #opened = new Map<string, SigningKey>();
  #seen: readonly StoredKey[] | undefined;
  #keys: readonly Opened[] = [];

  private constructor(store: ProvenKeys, roots: RootKeys) {
    this.#store = store;
    this.#roots = roots;
  }

  static async open(store: ProvenKeys, roots: RootKeys): Promise<CertificateKeys> {
    const keys = new CertificateKeys(store, roots);
    await keys.refresh();
    return keys;
  }

  /** The oldest first, as the key store was read last; the key ring reads it every two seconds. */
  all(): CertificateKey[] {
    return this.#read().flatMap(({ row, key }) => {
      const kind = kindOf(row);
      return kind ? [describe(kind, row, key)] : [];
    });
  }

  /** Reads the key store again. */
  async refresh(): Promise<void> {
    await this.#store.list(CERTIFICATE);
  }

  /**
   * Adds a new key.
   * @param chainOf returns the chain of the key, in PEM, when it has one from the beginning
   * @returns its thumbprint; undefined when another process took its place at the same time
   */
  async add(
    kind: CertificateKind,
    chainOf?: (key: Pick<CertificateKey, 'publicJwk' | 'cryptoKeys'>) => Promise<string>,
  ): Promise<string | undefined> {
    await this.refresh();
    const place = { id: this.#store.freeId(`${CERTIFICATE}:${kind}`, 0), purpose: CERTIFICATE } as const;
    const { key, privateJwk } = SigningKey.generate(ALGORITHM);
    const sealed = sealKey(this.#roots.sealing, place, Buffer.from(privateJwk));
    const chain = (await chainOf?.(key)) ?? null;
    const isAdded = await this.#store.insert({
      ...place,
      algorithm: ALGORITHM,
      publicJwk: key.publicJwk,
      sealed,
      chain,
    });
    await this.refresh();
    return isAdded ? key.kid : undefined;
  }

  /** Adds the chain of a key that has none. Returns whether it had none and is not revoked. @param chain PEM */
  async install(kid: string, chain: string): Promise<boolean> {
    await this.refresh();
    const found = this.#read().find(({ key }) => key.kid === kid);
    const isInstalled = found !== undefined && (await this.#store.certify(found.row, chain));
    await this.refresh();
    return isInstalled;
  }

  #read(): readonly Opened[] {
    const { lastRead } = this.#store;
    if (lastRead === this.#seen) return this.#keys;
    this.#keys = this.#store.checked(CERTIFICATE).flatMap((row) => this.#open(row));
    this.#opened = new Map(this.#keys.map(({ row, key }) => [row.id, key]));
    this.#seen = lastRead;
    return this.#keys;
  }

  /** A row that was changed from outside the service vouches for nothing. */
  #open(row: CheckedKey): Opened[] {
    const key = this.#opened.get(row.id) ?? openedPair(this.#roots, CERTIFICATE, row);
    this.#roots.altered.note(row.id, !key || !row.isProven);
    return key && row.isProven ? [{ row, key }] : [];
  }
}

function kindOf({ id }: StoredKey): CertificateKind | undefined {
  return certificateKinds.find((kind) => id.startsWith(`${CERTIFICATE}:${kind}:`));
}

function describe(
  kind: CertificateKind,
  { status, createdAt, updatedAt, chain }: StoredKey,
  key: SigningKey,
): CertificateKey {
  const { kid, algorithm, publicJwk } = key;
  return {
    kind,
    kid,
    algorithm,
    publicJwk,
    status,
    createdAt,
    ...(chain !== null && { chain, installedAt: updatedAt }),
    signJwt: (header, payload) => key.signJwt(header, payload),
    cryptoKeys: () => key.cryptoKeys(),
  };
}
