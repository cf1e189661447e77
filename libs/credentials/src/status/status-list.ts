import { decodeBase64Url, encodeBase64Url } from '@app/primitives/jose';
import { deflateSync, inflateSync } from 'node:zlib';

/** A place in a Token Status List. */
export type StatusListReference = { readonly uri: string; readonly idx: number };

/** A place in a status list of this service, which is also served as lists of one purpose each. */
export type OwnStatusReference = StatusListReference & {
  readonly bitstrings: { readonly revocation: string; readonly suspension: string };
};

/** Bits per entry (Token Status List §4.1). */
export const STATUS_BITS = [1, 2, 4, 8] as const;
export type StatusBits = (typeof STATUS_BITS)[number];

/** The values of §7.1 that have the same meaning in every application. */
export const STATUS_VALID = 0;
export const STATUS_INVALID = 1;
export const STATUS_SUSPENDED = 2;

/** A list of statuses as it goes into and comes out of a token: `bits` per entry, entry 0 in the lowest bits. */
export type StatusBitsList = { readonly bits: StatusBits; readonly bytes: Uint8Array };

/** What a fetched list may be inflated to. */
export const mostInflatedBytes = 16 * 1024 * 1024;

/** A list whose entries are all valid. */
export function newStatusList(bits: StatusBits, size: number): StatusBitsList {
  return { bits, bytes: new Uint8Array(Math.ceil((size * bits) / 8)) };
}

/** Changes an entry of the list. Throws `RangeError` when the list has no such entry or the bits no such status. */
export function setStatus({ bits, bytes }: StatusBitsList, index: number, status: number): void {
  const { at, shift, mask } = place(bits, index);
  const present = Number.isInteger(index) && index >= 0 ? bytes[at] : undefined;
  if (present === undefined || !Number.isInteger(status) || status < 0 || status >= 2 ** bits) {
    throw new RangeError(`no entry ${index} of a list of ${bytes.length} bytes can have the status ${status}`);
  }
  bytes[at] = (present & ~mask) | (status << shift);
}

/** The `status_list` claim of a list with `size` entries that are valid unless `statuses` says otherwise. */
export function encodeStatusList(
  bits: StatusBits,
  size: number,
  statuses: Iterable<readonly [index: number, status: number]>,
): { readonly bits: StatusBits; readonly lst: string } {
  const list = newStatusList(bits, size);
  for (const [index, status] of statuses) setStatus(list, index, status);
  return { bits, lst: encodeBase64Url(deflateSync(list.bytes, { level: 9 })) };
}

/** Reads a `status_list` claim; `undefined` when it is malformed or inflates to more than 16 MiB. */
export function decodeStatusList(claim: unknown): StatusBitsList | undefined {
  if (typeof claim !== 'object' || claim === null) return undefined;
  const { bits: claimedBits, lst } = claim as Record<string, unknown>;
  const bits = STATUS_BITS.find((allowed) => allowed === claimedBits);
  const compressed = typeof lst === 'string' ? decodeBase64Url(lst) : undefined;
  if (bits === undefined || compressed === undefined) return undefined;
  try {
    return { bits, bytes: inflateSync(compressed, { maxOutputLength: mostInflatedBytes }) };
  } catch {
    return undefined;
  }
}

/** The status of an entry; `undefined` when the list has no such entry. */
export function statusAt({ bits, bytes }: StatusBitsList, index: number): number | undefined {
  const { at, shift, mask } = place(bits, index);
  const byte = bytes[at];
  return byte === undefined ? undefined : (byte & mask) >> shift;
}

function place(bits: StatusBits, index: number): { at: number; shift: number; mask: number } {
  const perByte = 8 / bits;
  const shift = (index % perByte) * bits;
  return { at: Math.floor(index / perByte), shift, mask: (2 ** bits - 1) << shift };
}
