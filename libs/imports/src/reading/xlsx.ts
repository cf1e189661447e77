import { readSheet } from 'read-excel-file/universal';
import { type Cell, type Table, tableOf, UnreadableFileError } from './table';
import { assertUnpackable } from './zip-limits';

/** Reads the first sheet of an Office Open XML workbook: what formulas had as their values, and no macros. Throws `UnreadableFileError`. */
export async function readXlsx(bytes: Buffer): Promise<Table> {
  assertUnpackable(bytes);
  let sheet: readonly (readonly unknown[])[];
  try {
    sheet = await readSheet(new Uint8Array(bytes).buffer);
  } catch {
    throw new UnreadableFileError('The file is no spreadsheet that can be read: save it as .xlsx or as CSV.');
  }
  return tableOf(
    sheet.map((cells, index) => ({ row: index + 1, cells: cells.map(cellOf) })),
    'spreadsheet, first sheet',
  );
}

function cellOf(value: unknown): Cell {
  if (value instanceof Date) return dateText(value);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : '';
}

/** Spreadsheets have no time zones. */
function dateText(date: Date): string {
  if (Number.isNaN(date.getTime())) return '';
  const text = date.toISOString();
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.replace('.000Z', 'Z');
}
