import { hash } from 'node:crypto';

/** A change of one entry of a list, by one event of its credential. */
export interface EntryChange {
  readonly entry: number;
  /** Of the event. */
  readonly streamVersion: number;
  /** Token Status List §7.1 */
  readonly status: number;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
}

/** A change with the version of the list that has it first. */
export interface ListedChange extends EntryChange {
  readonly version: number;
}

/** SQL of the bytes of rows of `status_changes`, in the order in which they are chained. */
export const packedChanges = `string_agg(int8send(list_version) || int4send(entry) || int4send(stream_version) ||
    int2send(status) || int8send(round(extract(epoch from date_trunc('milliseconds', changed_at)) * 1000)::bigint), ''
    order by list_version, entry, stream_version)`;

const length = 26;

/** The same bytes of the changes of one version. */
export function pack(version: number, changes: readonly EntryChange[]): Buffer {
  const inOrder = changes.toSorted((one, other) => one.entry - other.entry || one.streamVersion - other.streamVersion);
  return Buffer.concat(
    inOrder.map(({ entry, streamVersion, status, changedAt }) => {
      const bytes = Buffer.alloc(length);
      bytes.writeBigInt64BE(BigInt(version), 0);
      bytes.writeInt32BE(entry, 8);
      bytes.writeInt32BE(streamVersion, 12);
      bytes.writeInt16BE(status, 16);
      bytes.writeBigInt64BE(BigInt(changedAt), 18);
      return bytes;
    }),
  );
}

export function unpack(bytes: Buffer): ListedChange[] {
  return Array.from({ length: bytes.length / length }, (_, place) => {
    const at = place * length;
    return {
      version: Number(bytes.readBigInt64BE(at)),
      entry: bytes.readInt32BE(at + 8),
      streamVersion: bytes.readInt32BE(at + 12),
      status: bytes.readInt16BE(at + 16),
      changedAt: Number(bytes.readBigInt64BE(at + 18)),
    };
  });
}

/** The digest of no changes. */
export const noChanges = Buffer.alloc(0);

/**
 * The digest of all changes up to the last of these: SHA-256 over that of the version before and the bytes of the next one.
 * @param bytes of whole versions
 * @param before the digest of the versions before them
 */
export function chain(bytes: Buffer, before: Buffer = noChanges): Buffer {
  let digest = before;
  for (let begin = 0, end = 0; begin < bytes.length; begin = end) {
    const version = bytes.readBigInt64BE(begin);
    while (end < bytes.length && bytes.readBigInt64BE(end) === version) end += length;
    digest = hash('sha256', Buffer.concat([digest, bytes.subarray(begin, end)]), 'buffer');
  }
  return digest;
}

/** By what it says, so that two that say the same have the same text. */
export function textOf({ entry, streamVersion, status, changedAt }: EntryChange): string {
  return `${entry}.${streamVersion}.${status}.${changedAt}`;
}
