import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

const LENGTH = 32;

/** The key-encryption key. It encrypts nothing itself: each purpose gets a key derived from it, so none serves for another. */
export class RootKey {
  readonly #key: Buffer;
  readonly #derived = new Map<string, KeyObject>();

  /** @param generation counted up with each change of the root key, from 1 to 255 */
  constructor(
    key: Buffer,
    readonly generation = 1,
  ) {
    if (key.length !== LENGTH) throw new RangeError(`a root key has ${LENGTH} bytes`);
    this.#key = key;
  }

  /** The 256-bit key of a purpose (HKDF-SHA-256, RFC 5869). Purposes are constants of the code: they are cached permanently. */
  derive(purpose: string): KeyObject {
    let key = this.#derived.get(purpose);
    if (!key) {
      key = createSecretKey(Buffer.from(hkdfSync('sha256', this.#key, '', `sealwright/v1/${purpose}`, LENGTH)));
      this.#derived.set(purpose, key);
    }
    return key;
  }

  /** Hands the key out to be sealed, under a password or under its successor. */
  sealedBy<T>(seal: (key: Buffer) => T): T {
    return seal(this.#key);
  }
}
