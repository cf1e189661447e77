import { randomBytes } from 'node:crypto';
import { openBytes, sealBytes } from './envelope';
import { envelopeOf, openUnderRoot, sealUnderRoot } from './root-envelope';
import type { RootKey } from './root-key';
import type { RootKeys } from './root-keys';

const DATA_KEY = 'data-key';

/** Where a sealed value is stored: in an event of a stream, whose data key it is sealed with. */
export interface SealedPlace {
  readonly streamId: string;
  readonly event: string;
}

/**
 * Seals personal data with a data key for each stream. The wrapped data key is kept in a separate table:
 * deleting it erases the data from every copy. `additionalData` names the place, such as stream and event type.
 */
export class Sealer {
  readonly #roots: RootKeys;

  constructor(roots: RootKeys) {
    this.#roots = roots;
  }

  /** A random 256-bit data key for a stream, and the same key wrapped for storage (61 bytes, or 63 with its generation). */
  newDataKey(streamId: string): { dataKey: Buffer; wrapped: Buffer } {
    const dataKey = randomBytes(32);
    return { dataKey, wrapped: this.wrap(dataKey, streamId) };
  }

  /** Wraps a data key under the current root key. */
  wrap(dataKey: Buffer, streamId: string): Buffer {
    const root = this.#roots.sealing;
    return sealUnderRoot(root, DATA_KEY, dataKey, bindingOf(root, streamId));
  }

  /** @param streamId the stream it is stored for; that of another one does not open. Throws `SealBrokenError`. */
  unwrap(wrapped: Buffer, streamId: string): Buffer {
    const root = this.#roots.opening(wrapped);
    return openUnderRoot(root, DATA_KEY, wrapped, bindingOf(root, streamId));
  }

  /** Returns base64url text of a versioned AES-256-GCM envelope. */
  seal(dataKey: Buffer, plaintext: string | Buffer, additionalData: string): string {
    const bytes = typeof plaintext === 'string' ? Buffer.from(plaintext, 'utf8') : plaintext;
    return sealBytes(dataKey, bytes, additionalData).toString('base64url');
  }

  /** Throws `SealBrokenError`. */
  open(dataKey: Buffer, sealed: string, additionalData: string): Buffer {
    return openBytes(dataKey, envelopeOf(sealed), additionalData);
  }

  /** Seals a JSON value under a new data key for its stream. */
  sealJson(value: unknown, place: SealedPlace): { sealed: string; wrappedKey: Buffer } {
    const { dataKey, wrapped } = this.newDataKey(place.streamId);
    const sealed = this.seal(dataKey, JSON.stringify(value), additionalDataOf(place));
    dataKey.fill(0);
    return { sealed, wrappedKey: wrapped };
  }

  /** Throws `SealBrokenError`. */
  openJson(sealed: string, wrappedKey: Buffer, place: SealedPlace): unknown {
    const dataKey = this.unwrap(wrappedKey, place.streamId);
    const text = this.open(dataKey, sealed, additionalDataOf(place)).toString('utf8');
    dataKey.fill(0);
    return JSON.parse(text);
  }
}

/** Text that names a place among all that is sealed. */
export function additionalDataOf({ streamId, event }: SealedPlace): string {
  return `${streamId}/${event}`;
}

/** Under the first root key, of earlier releases, data keys are all of one kind; under later ones each is its stream's. */
function bindingOf({ generation }: RootKey, streamId: string): string {
  return generation === 1 ? DATA_KEY : `${DATA_KEY}/${streamId}`;
}
