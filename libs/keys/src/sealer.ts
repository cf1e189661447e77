import { decodeBase64Url } from '@app/credentials';
import { randomBytes } from 'node:crypto';
import { openBytes, sealBytes } from './envelope';
import { SealBrokenError } from './errors';
import type { RootKey } from './root-key';

const DATA_KEY = 'data-key';

/**
 * Seals personal data with a data key per person and purpose. The wrapped data key is kept beside, in a table of its own:
 * whoever deletes it erases the data from every copy. `additionalData` names the place, such as stream and event type.
 */
export class Sealer {
  readonly #root: RootKey;

  constructor(root: RootKey) {
    this.#root = root;
  }

  /** A random 256-bit data key, and the same key wrapped for storage (61 bytes). */
  newDataKey(): { dataKey: Buffer; wrapped: Buffer } {
    const dataKey = randomBytes(32);
    return { dataKey, wrapped: sealBytes(this.#root.derive(DATA_KEY), dataKey, DATA_KEY) };
  }

  /** Throws `SealBrokenError`. */
  unwrap(wrapped: Buffer): Buffer {
    return openBytes(this.#root.derive(DATA_KEY), wrapped, DATA_KEY);
  }

  /** Returns base64url text of a versioned AES-256-GCM envelope. */
  seal(dataKey: Buffer, plaintext: string | Buffer, additionalData: string): string {
    const bytes = typeof plaintext === 'string' ? Buffer.from(plaintext, 'utf8') : plaintext;
    return sealBytes(dataKey, bytes, additionalData).toString('base64url');
  }

  /** Throws `SealBrokenError`. */
  open(dataKey: Buffer, sealed: string, additionalData: string): Buffer {
    const envelope = decodeBase64Url(sealed);
    if (!envelope) throw new SealBrokenError();
    return openBytes(dataKey, envelope, additionalData);
  }

  /** Seals a JSON value under a new data key of its own. */
  sealJson(value: unknown, additionalData: string): { sealed: string; wrappedKey: Buffer } {
    const { dataKey, wrapped } = this.newDataKey();
    const sealed = this.seal(dataKey, JSON.stringify(value), additionalData);
    dataKey.fill(0);
    return { sealed, wrappedKey: wrapped };
  }

  /** Throws `SealBrokenError`. */
  openJson(sealed: string, wrappedKey: Buffer, additionalData: string): unknown {
    const dataKey = this.unwrap(wrappedKey);
    const text = this.open(dataKey, sealed, additionalData).toString('utf8');
    dataKey.fill(0);
    return JSON.parse(text);
  }
}
