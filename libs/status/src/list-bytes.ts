import { type StatusBitsList as ListBytes, newStatusList, setStatus } from '@app/credentials';
import { encodeBase64Url } from '@app/primitives/jose';
import type { BitstringPurpose } from '@app/openid4vc';
import { promisify } from 'node:util';
import { constants, deflate, gzip, type ZlibOptions } from 'node:zlib';
import type { EntryChange } from './change-chain';
import { statusValues } from './listed-status';

// In threads of their own: requests go on meanwhile.
const deflated = promisify<Uint8Array, ZlibOptions, Buffer>(deflate);
const gzipped = promisify<Uint8Array, ZlibOptions, Buffer>(gzip);

/** Lists are runs of zeros with noise between them: other strategies take ten times as long and compress no better. */
const sparse = { strategy: constants.Z_RLE };

/** Two bits say valid, revoked and suspended. */
const bits = 2;
const entriesPerByte = 8 / bits;

/** A list without changes. */
export function newListBytes(size: number): ListBytes {
  return newStatusList(bits, size);
}

export function applyEntries(list: ListBytes, entries: readonly Pick<EntryChange, 'entry' | 'status'>[]): void {
  for (const { entry, status } of entries) setStatus(list, entry, status);
}

/** A list of that size in which every entry is revoked. */
export function allRevoked(list: ListBytes): ListBytes {
  const ofOneByte = Array.from({ length: entriesPerByte }).reduce<number>(
    (sum) => (sum << bits) | statusValues.revoked,
    0,
  );
  return { ...list, bytes: new Uint8Array(list.bytes.length).fill(ofOneByte) };
}

/** `lst` of Token Status List §4.3; §4.2 has it as base64url. */
export function compressedList({ bytes }: ListBytes): Promise<Buffer> {
  return deflated(bytes, sparse);
}

const statusOfPurpose = { revocation: statusValues.revoked, suspension: statusValues.suspended } as const;

/** `encodedList` of Bitstring Status List v1.0 §2.3: the entries that have the status of the purpose. */
export async function encodedBitstring(list: ListBytes, purpose: BitstringPurpose): Promise<string> {
  return `u${encodeBase64Url(await gzipped(bitstringOf(list, statusOfPurpose[purpose]), sparse))}`;
}

/** One bit for each entry, the first entry in the highest bit of the first byte. */
function bitstringOf({ bytes }: ListBytes, wanted: number): Uint8Array {
  const bitstring = new Uint8Array(bytes.length / bits);
  for (const [at, byte] of bytes.entries()) {
    if (byte === 0) continue;
    for (let place = 0; place < entriesPerByte; place++) {
      if (((byte >> (place * bits)) & 3) !== wanted) continue;
      const entry = at * entriesPerByte + place;
      const index = entry >> 3;
      bitstring[index] = (bitstring[index] ?? 0) | (0x80 >> (entry & 7));
    }
  }
  return bitstring;
}
