import { inflateRawSync } from 'node:zlib';
import { UnreadableFileError } from './table';

const mostBytes = 200 * 1024 * 1024;
/** By which a part of the file may be larger than it is packed. */
const largestRatio = 100;
/** Below it a ratio says nothing: empty spreadsheets pack well. */
const smallPart = 1024 * 1024;
const mostParts = 2000;

const ends = { signature: 0x06054b50, length: 22, comment: 65_535 };
const directory = { signature: 0x02014b50, length: 46 };
const local = { signature: 0x04034b50, length: 30 };

/**
 * Refuses an archive that would unpack to more than its size allows, whatever its directory says. Throws `UnreadableFileError`.
 */
export function assertUnpackable(bytes: Buffer): void {
  const end = endOf(bytes);
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  if (count === 0xffff || at === 0xffffffff || count > mostParts) throw notRead();
  let left = mostBytes;
  for (let part = 0; part < count; part++) {
    if (at + directory.length > bytes.length || bytes.readUInt32LE(at) !== directory.signature) throw notRead();
    left -= sizeOfPart(bytes, at, left);
    at += directory.length + bytes.readUInt16LE(at + 28) + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
}

/** Bytes that a part takes unpacked. @param at its entry in the directory. @param left bytes that it may take */
function sizeOfPart(bytes: Buffer, at: number, left: number): number {
  const flags = bytes.readUInt16LE(at + 8);
  const method = bytes.readUInt16LE(at + 10);
  const packed = bytes.readUInt32LE(at + 20);
  const header = bytes.readUInt32LE(at + 42);
  if ((flags & 1) === 1) throw new UnreadableFileError('The spreadsheet is protected by a password.');
  if (header + local.length > bytes.length || bytes.readUInt32LE(header) !== local.signature) throw notRead();
  const start = header + local.length + bytes.readUInt16LE(header + 26) + bytes.readUInt16LE(header + 28);
  if (start + packed > bytes.length) throw notRead();
  if (method === 0) return packed;
  if (method !== 8) throw notRead();
  const most = Math.min(left, Math.max(smallPart, packed * largestRatio));
  try {
    return inflateRawSync(bytes.subarray(start, start + packed), { maxOutputLength: Math.max(1, most) }).length;
  } catch (error) {
    if (!(error instanceof RangeError)) throw notRead();
    throw new UnreadableFileError('The spreadsheet is packed so that it would become far too large.');
  }
}

function endOf(bytes: Buffer): number {
  const first = Math.max(0, bytes.length - ends.length - ends.comment);
  for (let at = bytes.length - ends.length; at >= first; at--) {
    if (bytes.readUInt32LE(at) === ends.signature) return at;
  }
  throw notRead();
}

function notRead(): UnreadableFileError {
  return new UnreadableFileError('The file is no spreadsheet that can be read: save it as .xlsx or as CSV.');
}
