import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { createHmac, randomBytes } from 'node:crypto';
import { openBytes, sealBytes } from '../root/envelope';
import { storedNameOf } from '@app/event-store';
import { NoErasureKeysError } from '../errors';
import { envelopeOf } from '../root/root-envelope';
import type { RootKeys } from '../root/root-keys';
import { isUnderErasureKey, openUnderErasureKey, sealUnderErasureKey } from './under-erasure-key';
import { type FindTenantKey, unwrapDataKey, wrapDataKey } from './wrapped-key';

/** Where a sealed value is stored: in an event of a stream, whose data key it is sealed with. */
export interface SealedPlace {
  readonly streamId: string;
  readonly event: string;
}

/** Keys of streams that are kept apart from the data keys, so that a copy of those opens nothing by itself. */
export interface ErasureKeySource {
  /** The erasure key of a stream that is to get a data key. */
  make(streamId: string): Promise<Buffer>;
  /** `undefined` when it was destroyed. */
  find(streamId: string): Promise<Buffer | undefined>;
}

/**
 * Seals personal data with a data key for each stream. The wrapped data key is kept in a separate table:
 * deleting it erases the data from every copy. `additionalData` names the place, such as stream and event type.
 * Only where there are erasure keys does anything have to be waited for.
 */
export class Sealer {
  readonly #roots: RootKeys;
  readonly #erasureKeys: ErasureKeySource | undefined;
  readonly #tenantKey: FindTenantKey;

  /** @param erasureKeys under which data keys are sealed in addition */
  constructor(roots: RootKeys, erasureKeys?: ErasureKeySource, tenantKey: FindTenantKey = () => undefined) {
    this.#roots = roots;
    this.#erasureKeys = erasureKeys;
    this.#tenantKey = tenantKey;
  }

  /** A random 256-bit data key for a stream of the tenant at hand, and the same key wrapped for storage. */
  newDataKey(streamId: string): Awaitable<{ dataKey: Buffer; wrapped: Buffer }> {
    const dataKey = randomBytes(32);
    const stream = storedNameOf(streamId);
    return whenThere(this.#erasureKeys?.make(stream), (erasureKey) => {
      const content = erasureKey ? sealUnderErasureKey(erasureKey, dataKey, stream) : dataKey;
      return { dataKey, wrapped: wrapDataKey(this.#roots, this.#tenantKey, content, stream) };
    });
  }

  /**
   * @param streamId the stream it is stored for; that of another one does not open. Throws `SealBrokenError`.
   * @returns `undefined` when its erasure key, or that of the tenant, was destroyed
   */
  unwrap(wrapped: Buffer, streamId: string): Awaitable<Buffer | undefined> {
    const stream = storedNameOf(streamId);
    const content = unwrapDataKey(this.#roots, this.#tenantKey, wrapped, stream);
    if (!content || !isUnderErasureKey(content)) return content;
    if (!this.#erasureKeys) throw new NoErasureKeysError();
    return whenThere(
      this.#erasureKeys.find(stream),
      (erasureKey) => erasureKey && openUnderErasureKey(erasureKey, content, stream),
    );
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
  sealJson(value: unknown, place: SealedPlace): Awaitable<{ sealed: string; wrappedKey: Buffer }> {
    return whenThere(this.newDataKey(place.streamId), ({ dataKey, wrapped }) => {
      return { sealed: this.sealOnce(dataKey, value, place), wrappedKey: wrapped };
    });
  }

  /** Seals a JSON value under the data key that its stream has already; `undefined` when that was erased. */
  sealJsonUnder(value: unknown, wrappedKey: Buffer, place: SealedPlace): Awaitable<string | undefined> {
    return whenThere(
      this.unwrap(wrappedKey, place.streamId),
      (dataKey) => dataKey && this.sealOnce(dataKey, value, place),
    );
  }

  /**
   * A name for each value, the same each time, that only the data key of the stream can make; `undefined` when that was
   * erased. The place distinguishes uses.
   */
  pseudonyms(
    values: readonly string[],
    wrappedKey: Buffer,
    place: SealedPlace,
  ): Awaitable<readonly string[] | undefined> {
    return whenThere(this.unwrap(wrappedKey, place.streamId), (dataKey) => {
      if (!dataKey) return undefined;
      // Another key than the one that seals.
      const key = createHmac('sha256', dataKey)
        .update(`pseudonyms ${additionalDataOf(place)}`)
        .digest();
      dataKey.fill(0);
      return values.map((value) => createHmac('sha256', key).update(value).digest('base64url'));
    });
  }

  /** `undefined` when it was erased. Throws `SealBrokenError`. */
  openJson(sealed: string, wrappedKey: Buffer, place: SealedPlace): Awaitable<unknown> {
    return whenThere(this.unwrap(wrappedKey, place.streamId), (dataKey) => {
      if (!dataKey) return undefined;
      const text = this.open(dataKey, sealed, additionalDataOf(place)).toString('utf8');
      dataKey.fill(0);
      return JSON.parse(text) as unknown;
    });
  }

  private sealOnce(dataKey: Buffer, value: unknown, place: SealedPlace): string {
    const sealed = this.seal(dataKey, JSON.stringify(value), additionalDataOf(place));
    dataKey.fill(0);
    return sealed;
  }
}

/** Text that names a place among all that is sealed. */
export function additionalDataOf({ streamId, event }: SealedPlace): string {
  return `${streamId}/${event}`;
}
