/** Begins a formula in spreadsheets. */
const risky = /^[=+\-@\t\r]/;

/** A cell of CSV: quoted where it has to be, with an apostrophe in front where a spreadsheet would calculate. */
export function csvCell(text: string, separator: string): string {
  const safe = risky.test(text) ? `'${text}` : text;
  return safe.includes(separator) || /["\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csvLine(cells: readonly string[], separator: string): string {
  return `${cells.map((cell) => csvCell(cell, separator)).join(separator)}\r\n`;
}

/** Spreadsheets take a file with it for UTF-8. */
export const byteOrderMark = '\ufeff';

export const csvSeparators = { comma: ',', semicolon: ';', tab: '\t' } as const;
export type CsvSeparator = keyof typeof csvSeparators;
