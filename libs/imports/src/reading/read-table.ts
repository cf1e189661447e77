import { readCsv } from './csv';
import { type Table, UnreadableFileError } from './table';
import { readXlsx } from './xlsx';

/** Old binary workbooks, and Office files under a password. */
const compound = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const zip = Buffer.from('504b0304', 'hex');

/** Reads a file by what it is, not by what it is called. Rejects with `UnreadableFileError`. */
export async function readTable(bytes: Buffer): Promise<Table> {
  if (bytes.subarray(0, zip.length).equals(zip)) return readXlsx(bytes);
  if (bytes.subarray(0, compound.length).equals(compound)) {
    throw new UnreadableFileError(
      'The file is an old workbook (.xls), or protected by a password: save it as .xlsx without one, or as CSV.',
    );
  }
  return readCsv(bytes);
}
