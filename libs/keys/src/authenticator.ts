import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { RootKey } from './root-key';

/** Keyed hashes under keys that never leave: values that only this service, on any replica, can have made. */
export class Authenticator {
  readonly #root: RootKey;

  constructor(root: RootKey) {
    this.#root = root;
  }

  /** HMAC-SHA-256 (32 bytes) over the parts, each with its length before it, under a key of the purpose's own. */
  mac(purpose: string, ...parts: readonly (Buffer | string)[]): Buffer {
    const hmac = createHmac('sha256', this.#root.derive(`mac/${purpose}`));
    for (const part of parts) {
      const bytes = typeof part === 'string' ? Buffer.from(part, 'utf8') : part;
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      hmac.update(length).update(bytes);
    }
    return hmac.digest();
  }

  /** Whether `given` is the MAC of the parts; takes the same time wherever a difference lies. */
  matches(given: Buffer, purpose: string, ...parts: readonly (Buffer | string)[]): boolean {
    const expected = this.mac(purpose, ...parts);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  /** What is kept of a transaction code. A few digits are soon guessed from a plain hash, not from a keyed one. */
  digestOfTransactionCode(code: string, ...salt: readonly string[]): Buffer {
    return this.mac('transaction-code', code, ...salt);
  }
}

/** SHA-256 of a value too long to guess (128 random bits or more), under which its single use is recorded. */
export function hashOfSecret(value: string | Buffer): Buffer {
  return createHash('sha256').update(value).digest();
}
