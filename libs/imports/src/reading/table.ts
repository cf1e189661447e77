/** What stands in a cell: a text, or of a spreadsheet a number or a truth value. Dates are texts such as `2026-12-31`. */
export type Cell = string | number | boolean;

/** A row of a file. */
export interface TableRow {
  /** As spreadsheets count: the first row of a file is 1. */
  readonly row: number;
  readonly cells: readonly Cell[];
}

export interface Table {
  /** What the columns are called; a column without a name is called by its place. */
  readonly headers: readonly string[];
  /** Below the first row that is not empty. */
  readonly rows: readonly TableRow[];
  /** How the file was read, for people: `UTF-8, separated by ;`. */
  readonly readAs: string;
}

export const mostTableRows = 50_000;
export const mostColumns = 200;
/** Characters; as many as a cell of a spreadsheet holds. */
export const longestCell = 32_767;

/** A file that cannot be read. The message is for the person who has sent it, and holds nothing of the file. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError';
}

/**
 * The table in the rows of a file. Throws `UnreadableFileError`.
 * @param all some may be empty
 */
export function tableOf(all: readonly TableRow[], readAs: string): Table {
  const filled = all.flatMap(({ row, cells }) => {
    const kept = withoutEmptyEnd(cells);
    return kept.length > 0 ? [{ row, cells: kept }] : [];
  });
  const [header, ...rows] = filled;
  if (!header) throw new UnreadableFileError('The file is empty.');
  if (rows.length === 0)
    throw new UnreadableFileError('The file has a row with the names of columns and no other rows.');
  if (rows.length > mostTableRows) {
    throw new UnreadableFileError(`The file has more than ${mostTableRows.toLocaleString('en')} rows: divide it.`);
  }
  const columns = filled.reduce((most, { cells }) => Math.max(most, cells.length), 0);
  if (columns > mostColumns) throw new UnreadableFileError(`The file has more than ${mostColumns} columns.`);
  for (const one of filled) refuseCells(one);
  const headers = Array.from({ length: columns }, (_, index) => {
    const name = String(header.cells[index] ?? '').trim();
    return name === '' ? `Column ${index + 1}` : name.replace(/\s+/gu, ' ').slice(0, 200);
  });
  return { headers, rows, readAs };
}

function withoutEmptyEnd(cells: readonly Cell[]): readonly Cell[] {
  const last = cells.findLastIndex((cell) => typeof cell !== 'string' || cell.trim() !== '');
  return cells.slice(0, last + 1);
}

function refuseCells({ row, cells }: TableRow): void {
  for (const [index, cell] of cells.entries()) {
    if (typeof cell !== 'string') continue;
    const place = `Row ${row}, column ${index + 1}`;
    if (cell.length > longestCell) {
      throw new UnreadableFileError(`${place}: has more than ${longestCell.toLocaleString('en')} characters.`);
    }
    if (cell.includes('\0')) {
      throw new UnreadableFileError(`${place}: has the character U+0000. Is the file a spreadsheet or a CSV file?`);
    }
  }
}
